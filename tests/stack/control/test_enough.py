from __future__ import annotations

from msgspec.structs import replace

from stack.control.enough import enough
from stack.control.report import Report, Side, rows
from stack.control.window import figures
from tests.stack.control.traffic import requests

AFTER = Side(requests=40, since=2_000.0, until=2_100.0)
BEFORE = figures(list(requests(500)))


def report(count: int) -> Report:
    after = figures(list(requests(count, ttft=0.1, seed=2)))
    return Report(
        generation=8, model="m", at=0.0, complete=False, settled_seconds=10.0, settling=0, before=AFTER, after=AFTER,
        rows=rows(BEFORE, after),
    )  # fmt: skip


def test_it_is_told_when_there_will_be_samples_enough() -> None:
    assert (
        enough(report(40))
        == "6 of 13 figures have too few samples after the change: at this rate enough for 4 of them in about 1 min"
    )


def test_where_they_come_too_slowly_that_is_told() -> None:
    slow = replace(report(40), after=replace(AFTER, until=2_590.0))
    assert enough(slow) == "6 of 13 figures have too few samples after the change: at this rate not enough within what is measured"


def test_nothing_is_told_of_what_is_not_collected_any_more() -> None:
    assert enough(replace(report(40), complete=True)) is None
    assert enough(replace(report(40), followed_by=9)) is None
    assert enough(replace(report(40), after=Side(requests=0, since=None, until=None))) is None
