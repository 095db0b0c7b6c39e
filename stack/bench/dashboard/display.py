"""A report for people."""

from __future__ import annotations

from collections.abc import Iterator

from stack.bench.dashboard import report as bars
from stack.bench.dashboard.report import Away, Fleet, Report


def lines(report: Report) -> Iterator[str]:
    """Each figure beside what is promised of it."""
    for fleet in report.fleets:
        yield f"{fleet.engines:,} emulated engines"
        yield from (f"  {name:<10} {text}" for name, text in _rows(fleet))
    yield f"everything else had {report.others:.0%} of this machine's CPU meanwhile"
    faults = report.faults
    yield "did not hold:" if faults else "everything held"
    yield from (f"- {fault}" for fault in faults)


def _rows(fleet: Fleet) -> Iterator[tuple[str, str]]:
    paint, refresh = fleet.paint, fleet.refresh
    yield "paint", f"cold cache: {paint.cold or 'never'} (bar {fleet.paint_bar:g} s)"
    yield "", f"warm cache: {paint.warm or 'never'}; the process' first session {paint.first:.2f} s"
    if refresh is not None:
        yield "refresh", f"{refresh.took or 'never'} (bar: p95 {bars.REFRESH_P95_S:g} s), {refresh.bytes / 1000:,.0f} kB each"
    if (sessions := fleet.sessions) is not None:
        yield (
            "sessions",
            (
                f"{sessions.open} for {sessions.seconds:.0f} s: {sessions.core_share:.0%} of a core (bar {bars.CORE_SHARE:.0%}), "
                f"{sessions.resident_mb:.0f} MB (bar {bars.RESIDENT_MB:.0f}), {sessions.refreshed:.0%} of the refreshes due"
            ),
        )
    for how, away in (("hung", fleet.hung), ("down", fleet.down)):
        if away is not None:
            yield how, f"the page says so after {_seconds(away.told)} (bar {bars.TOLD_S:g} s), {_clicked(away)}"
    for page, queries in fleet.queries.items():
        alone = f", {len(queries.engines)} of one engine" if queries.engines else ""
        yield (
            "queries",
            f"{page}: {queries.most} a refresh (bar {bars.QUERIES}), {queries.seconds * 1000:.0f} ms of Prometheus{alone}",
        )


def _clicked(away: Away) -> str:
    return f"another page is there {_seconds(away.clicked)} after a click"


def _seconds(value: float | None) -> str:
    return "never" if value is None else f"{value:.2f} s"
