"""A comparison as Markdown: figures beside the first strategy's, on the same shape and workload."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from stack.bench.arm import Measured
from stack.model.tier import Path
from stack.traffic.report import ALL, Row

_NAMES = ("prefill+decode", "workload", "strategy")
_FIGURES = ("requests", "failed", "TTFT p50", "against the first", "TTFT p95", "ITL p99", "cached", "DPD")
UNKNOWN = "unknown"
REAL = "real vLLM on this machine"
EMULATED = "emulated, so times are a model's"


def markdown(measured: Sequence[Measured], engines: str) -> str:
    """One row an arm. `engines` says what kind they are: figures of emulated ones are a model's."""
    lines = [f"Engines: {engines}.", "", _line([*_NAMES, *_FIGURES]), _line(["---"] * len(_NAMES) + ["---:"] * len(_FIGURES))]
    return "\n".join([*lines, *(_line(cells) for cells in _rows(measured))])


def _rows(measured: Sequence[Measured]) -> Iterator[list[str]]:
    first: dict[tuple[str, str], Row] = {}
    for one in measured:
        row = one.summary.kinds[ALL]
        base = first.setdefault((one.shape, one.scenario), row)
        counts = [str(row.requests), str(row.failed + one.summary.skipped)]
        paths = one.summary.paths
        disaggregated = _share(paths.get(Path.DPD, 0), sum(paths.values()))
        yield [one.shape, one.scenario, one.strategy, *counts, *_figures(row, base), disaggregated]


def _figures(row: Row, base: Row) -> list[str]:
    ttft, gap = row.first_token, row.token_gap
    return [
        UNKNOWN if ttft is None else _ms(ttft.p50),
        UNKNOWN if ttft is None or base.first_token is None else f"{ttft.p50 / base.first_token.p50 - 1:+.0%}",
        UNKNOWN if ttft is None else _ms(ttft.p95),
        UNKNOWN if gap is None else _ms(gap.p99),
        UNKNOWN if row.cached_tokens is None else _share(row.cached_tokens, row.prompt_tokens or 0),
    ]


def _ms(seconds: float) -> str:
    return f"{seconds * 1000:,.0f} ms"


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.0%}" if whole else UNKNOWN


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
