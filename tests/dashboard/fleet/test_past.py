"""Who came and went, and what control did."""

from datetime import UTC, datetime

from dashboard.charts import Span
from dashboard.fleet.past import comings, events, steps
from stack.control.audit import AuditRecord, Outcome
from stack.control.diff import Change
from tests.dashboard.fleet.samples import DECODE, sample

SPAN = Span(datetime.fromtimestamp(0, UTC), datetime.fromtimestamp(1000, UTC))
LATER = Span(datetime.fromtimestamp(590, UTC), SPAN.end)
REPLICAS = Change(field="models.smollm2.pools.decode.replicas", before=2, after=3)


def record(at: float, outcome: Outcome, *diff: Change, field: str | None = None, effect: str | None = None) -> AuditRecord:
    return AuditRecord(
        at=at, actor="ann", outcome=outcome, generation=2, diff=diff, field=field, effects=(effect,) if effect else ()
    )


def test_who_came_and_who_went_the_newest_first() -> None:
    seen = [
        sample("decode-2", "", 500.0, event="joined"),
        sample("decode-1", "", 700.0, event="left"),
        sample("", "", 10.0, event="since"),
    ]
    rows = comings(seen, step=15).to_dict("records")
    assert [(row["at"].timestamp(), row["engine"], row["what"], row["pool"]) for row in rows] == [
        (700.0, "decode-1", "last seen", "smollm2 decode"),
        (500.0, "decode-2", "came", "smollm2 decode"),
    ]


def test_who_was_there_when_the_record_begins_did_not_come_then() -> None:
    seen = [sample("decode-0", "", 20.0, event="joined"), sample("", "", 10.0, event="since")]
    assert comings(seen, step=15).empty


def test_a_cluster_whose_record_is_younger_has_not_just_come_and_namesakes_are_told_apart() -> None:
    seen = [
        sample("decode-0", "", 500.0, event="joined", cluster="west"),
        sample("decode-0", "", 700.0, event="left", cluster="east"),
        sample("decode-1", "", 600.0, event="joined", cluster="west"),
        sample("", "", 10.0, event="since", cluster="east"),
        sample("", "", 495.0, event="since", cluster="west"),
    ]
    rows = comings(seen, step=15).to_dict("records")
    assert [(row["engine"], row["what"]) for row in rows] == [("east / decode-0", "last seen"), ("west / decode-1", "came")]


def test_controls_steps_about_pools_are_told_and_others_are_not() -> None:
    records = [
        record(1001.0, Outcome.FAILED, field="engines.decode-9", effect="cannot end it"),
        record(900.0, Outcome.STEP, field="engines.decode-9", effect="decode-9 ends: it is quiet"),
        record(800.0, Outcome.STEP, field="engines.prefill-0", effect="prefill-0 ends: it is quiet"),
        record(700.0, Outcome.DRY_RUN, REPLICAS),
        record(600.0, Outcome.APPLIED, REPLICAS),
        record(500.0, Outcome.APPLIED, Change(field="models.smollm2.strategy", before="session", after="kv_aware")),
    ]
    own = steps(records, DECODE, {"decode-9"}, SPAN)
    assert list(own["what"]) == ["cannot end it", "decode-9 ends: it is quiet", "smollm2.pools.decode.replicas: 2 → 3"]
    assert list(own["outcome"]) == ["failed", "step", "applied"]
    assert len(steps(records, None, set(), LATER)) == 4


def test_events_of_one_engine_are_told_and_not_those_of_another_that_is_named_alike() -> None:
    records = [
        record(900.0, Outcome.STEP, field="models.smollm2.pools.decode.replicas", effect="decode-1, decode-2 start"),
        record(800.0, Outcome.STEP, field="engines.decode-11", effect="decode-11 ends: it is quiet"),
        record(
            700.0,
            Outcome.APPLIED,
            Change(field="models.smollm2.pools.decode.drained", before="decode-1", after="decode-1, decode-3"),
        ),
        record(600.0, Outcome.APPLIED, REPLICAS),
    ]
    assert list(events(records, "decode-1")["what"]) == [
        "decode-1, decode-2 start",
        "smollm2.pools.decode.drained: decode-1 → decode-1, decode-3",
    ]
    assert events(records, "decode-1.a").empty
