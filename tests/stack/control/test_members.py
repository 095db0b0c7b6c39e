from __future__ import annotations

import pytest

from stack.control.link import EngineReport, RouterReport
from stack.control.machinery import EngineProcess, Phase
from stack.control.members import Member, observe
from stack.fleet.engine import Health, State
from stack.model.target import Target
from stack.model.tier import Pool


def _target(name: str, model: str = "smollm2") -> Target:
    return Target(replica=name, url="http://127.0.0.1:8101", pool=Pool.DECODE, model=model, model_root="/models/smollm2")


def _process(name: str, phase: Phase = Phase.RUNNING, detail: str = "") -> EngineProcess:
    return EngineProcess(name, "smollm2", Pool.DECODE, phase, detail=detail)


def _report(router: str, *engines: tuple[str, str, int]) -> RouterReport:
    reports = tuple(EngineReport(name=name, health=health, in_flight=count) for name, health, count in engines)
    return RouterReport(id=router, version=1, generation=1, engines=reports)


def _one(*reports: RouterReport, phase: Phase = Phase.RUNNING, draining: tuple[str, ...] = ()) -> Member:
    (member,) = observe([_target("decode-0")], [_process("decode-0", phase)], reports, draining)
    return member


def test_an_engine_nobody_reports_on_is_unknown_and_not_idle() -> None:
    member = _one()
    assert (member.state, member.health, member.in_flight) == (State.JOINING, Health.UNKNOWN, None)


def test_health_is_as_old_as_what_the_router_knows_that_looked_least_lately() -> None:
    ages = (None, 0.25, 8.0)
    reports = [
        RouterReport(
            id=str(age), version=1, generation=1,
            engines=(EngineReport(name="decode-0", health="ready", in_flight=0, health_age_seconds=age),),
        )
        for age in ages
    ]  # fmt: skip
    assert [_one(*reports[:count]).health_age_seconds for count in (1, 2, 3)] == [None, 0.25, 8.0]


def test_requests_in_flight_add_up_over_routers() -> None:
    member = _one(_report("a", ("decode-0", "ready", 2)), _report("b", ("decode-0", "ready", 3)))
    assert (member.state, member.health, member.in_flight) == (State.READY, Health.READY, 5)


@pytest.mark.parametrize(
    ("said", "health"),
    [
        (["ready", "ready"], Health.READY),
        (["ready", "unknown"], Health.UNKNOWN),
        (["ready", "not_ready"], Health.NOT_READY),
        (["unknown", "not_ready"], Health.NOT_READY),
        (["ready", "splendid"], Health.UNKNOWN),
    ],
)
def test_the_worst_that_a_router_says_is_believed(said: list[str], health: Health) -> None:
    reports = [_report(str(number), ("decode-0", word, 0)) for number, word in enumerate(said)]
    assert _one(*reports).health is health


@pytest.mark.parametrize(
    ("phase", "health", "state"),
    [
        (Phase.RUNNING, "ready", State.READY),
        (Phase.RUNNING, "not_ready", State.DOWN),
        (Phase.RUNNING, "unknown", State.JOINING),
        (Phase.STARTING, "not_ready", State.JOINING),
        (Phase.DOWN, "ready", State.DOWN),
    ],
)
def test_the_state_joins_what_the_machinery_and_the_routers_say(phase: Phase, health: str, state: State) -> None:
    assert _one(_report("a", ("decode-0", health, 0)), phase=phase).state is state


def test_draining_is_shown_before_anything_else() -> None:
    assert _one(_report("a", ("decode-0", "not_ready", 1)), draining=("decode-0",)).state is State.DRAINING


def test_an_engine_that_starts_is_there_before_it_is_listed() -> None:
    members = observe([_target("decode-0")], [_process("decode-1", Phase.STARTING, "loading the model")], [], ())
    assert members[1] == Member(
        name="decode-1",
        model="smollm2",
        pool=Pool.DECODE,
        url=None,
        state=State.JOINING,
        health=Health.UNKNOWN,
        listed=False,
        starting=True,
        detail="loading the model",
    )


def test_engines_are_ordered_by_model_pool_and_number() -> None:
    targets = [_target("decode-10"), _target("decode-9"), _target("decode-1", "another"), _target("decode-2")]
    assert [member.name for member in observe(targets, [], [], ())] == ["decode-1", "decode-2", "decode-9", "decode-10"]
