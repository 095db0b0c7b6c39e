import msgspec
import pytest

from stack.traffic import report as reports
from stack.traffic.report import Quantiles, Report, Row, Summary, quantiles
from stack.traffic.request import Failure, Outcome


def outcome(kind: str = "chat", seconds: float = 1.0, failure: Failure | None = None, path: str | None = None) -> Outcome:
    return Outcome(
        kind=kind,
        started=0.0,
        failure=failure,
        first_token_seconds=seconds,
        total_seconds=2 * seconds,
        gaps_seconds=(seconds / 10,),
        prompt_tokens=100,
        cached_tokens=60,
        path=path,
    )


def test_quantiles_lie_between_neighbours() -> None:
    assert quantiles([]) is None
    assert quantiles([3.0]) == Quantiles(3.0, 3.0, 3.0)
    measured = quantiles(float(value) for value in range(101))
    assert measured == Quantiles(50.0, 95.0, 99.0)
    between = quantiles([1.0, 2.0])
    assert between is not None
    assert msgspec.to_builtins(between) == pytest.approx({"p50": 1.5, "p95": 1.95, "p99": 1.99})


def test_a_summary_counts_by_kind_failure_and_path() -> None:
    report = Report()
    for told in (outcome(path="direct"), outcome("document", 3.0, path="dpd"), outcome(failure=Failure.TIMEOUT)):
        report.add(told)
    chat = Row(
        requests=2,
        failed=1,
        first_token=Quantiles(1.0, 1.0, 1.0),
        token_gap=Quantiles(0.1, 0.1, 0.1),
        total=Quantiles(2.0, 2.0, 2.0),
        prompt_tokens=100,
        cached_tokens=60,
    )
    summary = report.summary(10.0, skipped=4, too_long=5)
    assert summary.kinds["chat"] == chat
    assert summary.kinds["all"].requests == 3
    assert list(summary.kinds) == ["chat", "document", "all"]
    assert (summary.failures, summary.paths) == ({"timeout": 1}, {"direct": 1, "dpd": 1})
    assert (summary.skipped, summary.too_long, report.failed) == (4, 5, 1)


def test_nothing_asked_is_nothing_known() -> None:
    summary = Report().summary(0.0, 0, 0)
    nothing = Row(requests=0, failed=0, first_token=None, token_gap=None, total=None, prompt_tokens=None, cached_tokens=None)
    assert summary == Summary(seconds=0.0, requests=0, failures={}, skipped=0, too_long=0, paths={}, kinds={"all": nothing})


def test_cached_tokens_that_nobody_told_are_unknown() -> None:
    report = Report()
    report.add(msgspec.structs.replace(outcome(), cached_tokens=None))
    assert report.summary(1.0, 0, 0).kinds["all"].cached_tokens is None
    report.add(outcome())
    whole = report.summary(1.0, 0, 0).kinds["all"]
    assert (whole.prompt_tokens, whole.cached_tokens) == (100, 60)  # of the answer that told both


def test_emulated_engines_are_said_to_be() -> None:
    assert [Report(emulated).summary(0.0, 0, 0).emulated for emulated in (True, False)] == [True, False]


def test_an_endless_run_keeps_only_the_latest() -> None:
    report = Report()
    for _ in range(reports.KEPT + 5):
        report.add(outcome())
    assert (report.requests, len(report.latest)) == (reports.KEPT + 5, reports.KEPT)
