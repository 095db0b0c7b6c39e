"""What a person sees of the report."""

from __future__ import annotations

from collections.abc import Iterator

from rich.table import Table

from stack.bench.tokens.figures import Added, Report


def table(report: Report) -> Table:
    """One line a case."""
    made = Table(title="kv_aware with exact tokens: what the router adds to a request", title_justify="left")
    for column in ("prompt", "bytes", "added at best", "p50", "bar", "p99", "router CPU"):
        made.add_column(column, justify="left" if column == "prompt" else "right")
    for case in report.cases:
        made.add_row(*_cells(case))
    return made


def notes(report: Report) -> Iterator[str]:
    """What else there is to say, a line each."""
    if report.meaningless is not None:
        yield f"these figures mean nothing: {report.meaningless}"
    others = report.others
    alone = f"{others.alone_p50_ms:.2f} / {others.alone_p99_ms:.2f} ms alone"
    beside = f"{others.beside_p50_ms:.2f} / {others.beside_p99_ms:.2f} ms"
    long = f"{others.long_per_second:g} unseen prompts of {others.long_tokens:,} tokens a second are tokenized"
    yield f"other requests, {others.requests_per_second:g}/s: p50 / p99 {alone}, {beside} while {long}"
    yield f"{report.engines} engines' KV events with blocks of {report.block_tokens} tokens; answers are canned, no engine computes"


def _cells(case: Added) -> tuple[str, ...]:
    bar = "" if case.bar_ms is None else f"{case.bar_ms:g} ms"
    best, middle, worst, cpu = (f"{value:.2f} ms" for value in (case.best_ms, case.p50_ms, case.p99_ms, case.cpu_ms))
    return case.case, f"{case.body_bytes:,}", best, middle, bar, worst, cpu
