"""Requests are drawn into the arms of an experiment, and go by one arm whole."""

from pathlib import Path

from stack.control.decision import Arm
from stack.control.link import Trial
from stack.control.session_key import session_key
from stack.control.state import Dpd, ModelState
from stack.router.applied import Fork, Served
from stack.router.drawing import Drawing
from stack.router.header_fields import HeaderFields
from stack.router.message import Request
from stack.router.openai import CHAT, ParsedBody
from stack.router.recording import record_of
from stack.router.sessions import SessionPlaces, Sessions
from stack.strategies.disaggregation import DpdPolicy, PoolStrategies
from tests.stack.router.bench import LONG, fleet, state
from tests.stack.router.errands import NAMED
from tests.stack.router.fakes import FakeEngine
from tests.stack.router.waiting import until

PLACES = SessionPlaces.of([session_key("header:x-session-id")])
SERVED = Served(PoolStrategies(NAMED, NAMED), DpdPolicy(False, 0), session_places=PLACES)
ELSEWHERE = Served(PoolStrategies(NAMED, NAMED), DpdPolicy(False, 0))
FORK = Fork("e1", 0.25, SERVED, ELSEWHERE)


def _draw(drawing: Drawing, session: str | None, request_id: str = "r1", fork: Fork = FORK) -> tuple[bool, str | None]:
    headers = () if session is None else ((b"x-session-id", session.encode()),)
    request = Request("POST", CHAT, "", HeaderFields(headers), b"", 0.0)
    served, unit = drawing.draw(request, ParsedBody(CHAT, "m", {}), request_id, fork)
    return served is fork.candidate, unit


def test_a_session_is_in_the_same_arm_at_every_router_with_the_secret_whatever_its_requests() -> None:
    one, other = Drawing(Sessions(b"secret")), Drawing(Sessions(b"secret"))
    sessions = [f"user-{number}" for number in range(50)]
    assert [_draw(one, session, "r1") for session in sessions] == [_draw(other, session, "r2") for session in sessions]


def test_arms_are_drawn_anew_by_each_experiment_and_cannot_be_foreseen_without_the_secret() -> None:
    drawing, stranger = Drawing(Sessions(b"secret")), Drawing(Sessions(b"another"))
    sessions = [f"user-{number}" for number in range(200)]
    own = [_draw(drawing, session)[0] for session in sessions]
    next_one = Fork("e2", 0.25, SERVED, ELSEWHERE)
    assert own != [_draw(drawing, session, fork=next_one)[0] for session in sessions]
    assert own != [_draw(stranger, session)[0] for session in sessions]


def test_the_candidate_gets_its_share_and_units_are_told_apart() -> None:
    drawing = Drawing(Sessions(b"secret"))
    drawn = [_draw(drawing, f"user-{number}") for number in range(4_000)]
    assert 900 < sum(candidate for candidate, _ in drawn) < 1_100
    assert len({unit for _, unit in drawn}) == 4_000


def test_a_request_without_a_session_is_drawn_by_its_own_id() -> None:
    drawing = Drawing(Sessions(b"secret"))
    drawn = [_draw(drawing, None, f"r{number}") for number in range(400)]
    assert {unit for _, unit in drawn} == {None}
    assert 60 < sum(candidate for candidate, _ in drawn) < 140


async def test_arms_go_their_own_ways_sessions_stick_and_records_tell(tmp_path: Path) -> None:
    engines = FakeEngine("decode-0"), FakeEngine("decode-1")
    candidate = ModelState(strategy="session", dpd=Dpd(enabled=False))
    async with fleet(tmp_path, *engines) as bench:
        bench.apply(5, state("round_robin"), experiment=Trial(id="e1", share=0.5, candidate=candidate))
        for turn in range(3):
            for number in range(12):
                answer = await bench.chat(LONG, headers={"x-session-id": f"user-{number}"})
                assert answer.status_code == 200, turn
        await until(lambda: len(bench.router.records) == 36)
        records = [record_of(errand) for errand in bench.router.records.batch(100).errands]
        bench.apply(6, state("round_robin"))
        await bench.chat(LONG)
        await until(lambda: len(bench.router.records) == 37)
        after = await bench.record()
    by_arm = {arm: [record for record in records if record.arm is arm] for arm in Arm}
    assert {record.experiment for record in records} == {"e1"}
    assert {(record.decode.strategy, record.threshold) for record in by_arm[Arm.CONTROL]} == {("round_robin", 512)}
    assert {(record.decode.strategy, record.threshold) for record in by_arm[Arm.CANDIDATE]} == {("session", 4096)}
    assert {record.generation for record in records} == {5}
    units = {(record.unit, record.arm) for record in records}
    assert len(units) == 12
    engines_of = {unit: {record.engine for record in by_arm[Arm.CANDIDATE] if record.unit == unit} for unit, arm in units}
    assert all(len(names) <= 1 for names in engines_of.values())
    assert sorted(record.engine for record in by_arm[Arm.CONTROL])[len(by_arm[Arm.CONTROL]) // 2 - 1] == "decode-0"
    assert (after.experiment, after.arm, after.unit) == (None, None, None)
