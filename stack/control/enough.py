"""How long it takes until a report has samples enough."""

from __future__ import annotations

import math

from stack.control.epoch import Terms
from stack.control.report import Report, Row


def enough(report: Report, terms: Terms | None = None) -> str | None:
    """In a sentence, at the rate at which the requests after the change came; None where nothing lacks that is still collected."""
    side = report.after
    if report.complete or report.followed_by is not None or side.since is None or side.until is None:
        return None
    elapsed, left = side.until - side.since, (terms or Terms()).window - (side.until - side.since)
    lacking = [row for row in report.rows if row.after.least is not None and row.before.value is not None]
    if not lacking or elapsed <= 0:
        return None
    waits = [_seconds(row, elapsed) for row in lacking]
    soon = [wait for wait in waits if wait <= left]
    told = f"{len(lacking)} of {len(report.rows)} figures have too few samples after the change"
    if not soon:
        return f"{told}: at this rate not enough within what is measured"
    these = "" if len(soon) == len(waits) else f" for {len(soon)} of them"
    return f"{told}: at this rate enough{these} in about {max(1, round(max(soon) / 60))} min"


def _seconds(row: Row, elapsed: float) -> float:
    have = row.after.samples if row.after.worth is None else row.after.worth
    return ((row.after.least or 0) - have) * elapsed / have if have else math.inf
