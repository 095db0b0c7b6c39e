"""A verdict as Markdown: one table of figures, one of bars."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from stack.bench.routing.verdict import Bar, Row, Verdict

NOTE = "Emulated engines, virtual time: no model ran, and every time is a model's. What counts is the ratio."


def markdown(verdicts: Iterable[Verdict]) -> str:
    """All of it, headed by what it is."""
    return "\n\n".join([NOTE, *(_one(verdict) for verdict in verdicts)])


def _one(verdict: Verdict) -> str:
    head = (
        f"### {verdict.workload}: {verdict.requests:,} requests, {verdict.conversations_per_second:.1f} conversations a second "
        f"(round_robin {verdict.round_robin_busy:.0%} busy)"
    )
    columns = ("served by", "TTFT p50", "p90", "p99", "gap p99", "cached", "busy", "busiest/mean", "predicted off by (p50)")
    rows = _table(columns, [_cells(row) for row in verdict.rows])
    bars = _table(("bar", "measured", "95 %", "at most", ""), [_bar(bar) for bar in verdict.bars])
    return f"{head}\n\n{rows}\n\n{bars}"


def _cells(row: Row) -> Sequence[str]:
    return (
        row.arm,
        *(_ms(value) for value in (row.ttft_p50, row.ttft_p90, row.ttft_p99, row.gap_p99)),
        f"{row.cached_share:.0%}",
        f"{row.busy:.0%}",
        f"{row.spread:.2f}",
        "-" if row.error_p50 is None else _ms(row.error_p50),
    )


def _bar(bar: Bar) -> Sequence[str]:
    sure = "-" if bar.low is None or bar.high is None else f"{bar.low:.3f} to {bar.high:.3f}"
    return bar.what, f"{bar.value:.3f}", sure, f"{bar.limit:.2f}", "holds" if bar.holds else "**does not hold**"


def _ms(seconds: float) -> str:
    return f"{seconds * 1000:.1f} ms"


def _table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [columns, ["---"] * len(columns), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
