"""Routing decisions as tables and lines for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import RenderableType
from rich.text import Text

from stack.api.schema import DecisionsView
from stack.api.table import BAD, DOUBTFUL, PLAIN, STYLES, clock, known, table
from stack.control.decision import DecisionRecord
from stack.control.replay import Replayed


def decisions(view: DecisionsView) -> Iterator[RenderableType]:
    """`kvdeck ctl decisions`."""
    columns = ("at", "generation", "strategy", "path", "engine", "prompt", "cached", "ttft s", "status", "reason")
    yield table("", columns, map(_decision, view.decisions))
    if view.dropped:
        yield Text(f"{view.dropped} decisions never arrived here", DOUBTFUL)
    if view.files is not None and (view.files.lost or view.files.error):
        yield Text(f"{view.files.lost} decisions are not in {view.files.folder}: {view.files.error or 'mended since'}", BAD)


def decision_line(record: DecisionRecord) -> Text:
    """One line of `kvdeck ctl decisions --follow`."""
    return Text("  ".join(_decision(record)), STYLES.get("failed" if record.status >= 500 else "", PLAIN))


def replayed(rows: Sequence[Replayed], by: str) -> RenderableType:
    """`kvdeck ctl replay`."""
    if not rows:
        return Text(f"no decision among several engines can be made again by {by}", DOUBTFUL)
    columns = ("strategy", "decisions", "the same again", "more cached tokens", "sooner s")
    return table(f"decided again by {by}; the last two are averages over those that come out otherwise", columns, map(_again, rows))


def _again(row: Replayed) -> Sequence[str]:
    tokens = "?" if row.more_tokens is None else f"{row.more_tokens:,.0f}"
    seconds = "?" if row.sooner_seconds is None else f"{row.sooner_seconds:.3f}"
    return row.strategy, str(row.decisions), f"{row.again} ({100 * row.again / row.decisions:.0f} %)", tokens, seconds


def _decision(record: DecisionRecord) -> Sequence[str]:
    engine = f"{record.prefill_engine} > {record.engine}" if record.prefill_engine else record.engine
    prompt = f"{record.prompt_tokens}" if record.tokens_exact else f"~{record.prompt_tokens}"
    ttft = "?" if record.ttft_seconds is None else f"{record.ttft_seconds:.3f}"
    reason = f"{record.decode.reason} (fallback: {', '.join(record.fallbacks)})" if record.fallbacks else record.decode.reason
    cached, status = known(record.cached_tokens), str(record.status)
    return (
        clock(record.at),
        str(record.generation),
        record.decode.strategy,
        f"{record.path}, observed" if record.observed else record.path,
        engine,
        prompt,
        cached,
        ttft,
        status,
        reason,
    )
