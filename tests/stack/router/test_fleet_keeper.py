"""The fleet follows the target file, the probes and what requests find out; counts of requests are left alone."""

import asyncio
from collections.abc import Callable
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from stack.adapters.probe import Pulse
from stack.fleet.engine import Health, Standing
from stack.fleet.machine import (
    Answered,
    ConnectFailed,
    DrainingChanged,
    Ejected,
    Event,
    HealthAged,
    ProbeFailed,
    ProbeSucceeded,
    RequestFailed,
    TargetsChanged,
    TrialDue,
)
from stack.fleet.snapshot import Fleet
from stack.model.target import Target
from stack.model.tier import Pool
from stack.router.fleet_keeper import FleetKeeper
from stack.router.in_flight import InFlight
from stack.router.limit import Limits
from stack.router.settings import RouterSettings
from tests.stack.router.waiting import until
from tests.stack.strategies.fleets import loaded

FAST = RouterSettings(probe_interval_s=0.001, lost_after_s=0.001)


def _target(name: str) -> Target:
    return Target(replica=name, url=f"http://{name}", pool=Pool.DECODE, model="m", model_root="/m")


class Probes:
    """Answers each engine's probes as told."""

    def __init__(self, **pulses: Pulse) -> None:
        self.pulses = pulses
        self.asked: list[str] = []

    async def __call__(self, url: str, deadline_seconds: float) -> Pulse:
        name = url.removeprefix("http://")
        self.asked.append(name)
        return self.pulses[name]


async def _until(keeper: FleetKeeper, name: str, health: Health) -> None:
    await until(lambda: keeper.fleet.members[name].engine.health is health)


async def test_an_engine_is_unknown_until_it_answered_a_probe() -> None:
    keeper = FleetKeeper(FAST, InFlight(), Probes(a=Pulse.WELL))
    keeper.retarget([_target("a")])
    assert keeper.fleet.members["a"].engine.health is Health.UNKNOWN
    await _until(keeper, "a", Health.READY)
    await keeper.close()


async def test_listeners_hear_of_every_change_with_before_and_after() -> None:
    probes = Probes(a=Pulse.WELL)
    keeper = FleetKeeper(FAST, InFlight(), probes)
    heard: list[tuple[list[str], list[str]]] = []

    def listen(before: Fleet, after: Fleet) -> None:
        heard.append((list(before.members), list(after.members)))

    keeper.listeners.append(listen)
    keeper.retarget([_target("a")])
    keeper.retarget([_target("a")])
    keeper.retarget([])
    assert heard == [([], ["a"]), (["a"], [])]
    await keeper.close()


async def test_three_failed_connections_take_an_engine_out_before_the_next_probe() -> None:
    keeper = FleetKeeper(RouterSettings(probe_interval_s=60.0), InFlight(), Probes(a=Pulse.WELL))
    keeper.retarget([_target("a")])
    await _until(keeper, "a", Health.READY)
    for _ in range(3):
        keeper.connect_failed("a", "refused")
    assert keeper.fleet.members["a"].engine.health is Health.NOT_READY
    await keeper.close()


async def test_a_probe_never_touches_the_count_of_requests() -> None:
    in_flight = InFlight()
    probes = Probes(a=Pulse.WELL)
    keeper = FleetKeeper(FAST, in_flight, probes)
    with in_flight.attempt("a"):
        keeper.retarget([_target("a")])
        await _until(keeper, "a", Health.READY)
        probes.pulses["a"] = Pulse.REFUSED
        await _until(keeper, "a", Health.NOT_READY)
        assert in_flight.counts["a"] == 1
        assert keeper.fleet.candidates("m", Pool.DECODE, loaded(in_flight.counts)) == ()
    assert in_flight.counts["a"] == 0
    await keeper.close()


@pytest.mark.parametrize("out", [{"leaving": True}, {"ready": False}], ids=["leaves", "is not ready to who runs it"])
async def test_an_engine_that_leaves_is_ready_and_gets_no_new_requests_whatever_control_says(out: dict[str, bool]) -> None:
    keeper = FleetKeeper(RouterSettings(probe_interval_s=60.0), InFlight(), Probes(a=Pulse.WELL, b=Pulse.WELL))
    seen = []
    for targets, drained in (("a b", ""), ("a- b", ""), ("a- b", "b"), ("a- b", ""), ("a b", "")):
        keeper.retarget([replace(_target(name[0]), **(out if name.endswith("-") else {})) for name in targets.split()])
        keeper.drain(frozenset(drained))
        for name in "ab":
            await _until(keeper, name, Health.READY)
        seen.append("".join(engine.name for engine in keeper.fleet.candidates("m", Pool.DECODE, loaded({}))))
    assert seen == ["ab", "b", "", "b", "ab"]
    await keeper.close()


async def test_who_waits_on_an_engine_that_stays_away_is_woken() -> None:
    in_flight, limits = InFlight(), Limits()
    probes = Probes(a=Pulse.WELL)
    keeper = FleetKeeper(FAST, in_flight, probes)
    keeper.retarget([_target("a")])
    await _until(keeper, "a", Health.READY)
    with in_flight.attempt("a") as attempt:
        attempt.limit = limits.start(60, "silent for")
        probes.pulses["a"] = Pulse.REFUSED
        await until(lambda: attempt.abandoned)
        assert attempt.limit.expired
    limits.close()
    await keeper.close()


async def test_three_failed_requests_eject_an_engine_whose_probes_are_well_and_each_failed_trial_doubles_the_time() -> None:
    settings = RouterSettings(probe_interval_s=0.001, eject_s=0.01, eject_max_s=0.03)
    keeper = FleetKeeper(settings, InFlight(), Probes(a=Pulse.WELL, b=Pulse.WELL))
    keeper.retarget([_target("a"), _target("b")])
    await _until(keeper, "a", Health.READY)
    await _until(keeper, "b", Health.READY)
    for _ in range(2):
        keeper.request_failed("a", "answered 500")
    assert keeper.fleet.members["a"].engine.standing is Standing.IN
    lasted = []
    for _ in range(3):
        keeper.request_failed("a", "answered 500")
        member = keeper.fleet.members["a"]
        assert (member.engine.standing, member.engine.health) == (Standing.EJECTED, Health.READY)
        lasted.append(member.ejected_s)
        await until(lambda: keeper.fleet.members["a"].engine.standing is Standing.TRIAL)
    assert lasted == [0.01, 0.02, 0.03]
    keeper.answered("a")
    assert (keeper.fleet.members["a"].engine.standing, keeper.fleet.members["a"].account) == (Standing.IN, "")
    await keeper.close()


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


async def test_what_nobody_has_looked_at_for_long_is_unknown_until_somebody_does() -> None:
    clock, answer = Clock(), asyncio.Event()
    answer.set()

    async def probe(url: str, deadline_seconds: float) -> Pulse:
        await answer.wait()
        return Pulse.WELL

    keeper = FleetKeeper(RouterSettings(probe_interval_s=0.001, probe_stale_s=10.0), InFlight(clock), probe, clock)
    keeper.retarget([_target("a")])
    await _until(keeper, "a", Health.READY)
    answer.clear()
    await asyncio.sleep(0.01)
    ages, healths = [], []
    for seconds in (0.0, 9.0, 2.0):
        clock.now += seconds
        keeper.age()
        ages.append(keeper.health_age("a"))
        healths.append(keeper.fleet.members["a"].engine.health)
    assert (ages, healths) == ([0.0, 9.0, 11.0], [Health.READY, Health.READY, Health.UNKNOWN])
    assert keeper.fleet.members["a"].account == "not looked at for 11 s"
    answer.set()
    await _until(keeper, "a", Health.READY)
    await keeper.close()


async def test_a_loop_that_stood_still_makes_no_engine_unknown() -> None:
    clock = Clock()
    keeper = FleetKeeper(FAST, InFlight(clock), Probes(a=Pulse.WELL), clock)
    keeper.retarget([_target("a")])
    await _until(keeper, "a", Health.READY)
    keeper.age()
    await asyncio.sleep(0.01)  # probes went on, and then nothing did for a minute
    clock.now += 60.0
    before = keeper.probed_at["a"]
    await until(lambda: keeper.probed_at["a"] != before)
    keeper.age()
    assert keeper.fleet.members["a"].engine.health is Health.READY
    await keeper.close()


async def test_an_engine_too_busy_for_its_probes_is_ready_as_long_as_it_gives_tokens() -> None:
    in_flight, probes = InFlight(), Probes(a=Pulse.WELL)

    async def probe(url: str, deadline_seconds: float) -> Pulse:
        if gives_tokens:
            in_flight.heard("a")
        return await probes(url, deadline_seconds)

    gives_tokens = True
    keeper = FleetKeeper(FAST, in_flight, probe)
    keeper.retarget([_target("a")])
    await _until(keeper, "a", Health.READY)
    probes.pulses["a"] = Pulse.SILENT
    probes.asked.clear()
    await until(lambda: len(probes.asked) > 5)
    assert keeper.fleet.members["a"].engine.health is Health.READY
    gives_tokens = False
    await _until(keeper, "a", Health.NOT_READY)
    await keeper.close()


EVENTS: list[Callable[[str], Event]] = [
    ProbeSucceeded,
    Answered,
    TrialDue,
    *(partial(kind, detail="x") for kind in (ProbeFailed, ConnectFailed, RequestFailed, HealthAged)),
    partial(Ejected, seconds=1.0, cause="x"),
    lambda name: DrainingChanged(frozenset({name})),
    lambda name: TargetsChanged((_target(name),)),
]


@given(st.lists(st.tuples(st.sampled_from(EVENTS), st.sampled_from("ab")), max_size=30))
def test_nothing_that_becomes_known_of_an_engine_touches_the_count_of_its_requests(
    happened: list[tuple[Callable[[str], Event], str]],
) -> None:
    async def count() -> None:
        in_flight = InFlight()
        keeper = FleetKeeper(RouterSettings(probe_interval_s=60.0, lost_after_s=60.0), in_flight, Probes())
        keeper.apply(TargetsChanged((_target("a"), _target("b"))))
        with in_flight.attempt("a"), in_flight.attempt("a"), in_flight.attempt("b"):
            for make, name in happened:
                keeper.apply(make(name))
                assert dict(in_flight.counts) == {"a": 2, "b": 1}
        await keeper.close()

    asyncio.run(count())


async def test_the_only_engine_is_never_ejected() -> None:
    keeper = FleetKeeper(RouterSettings(probe_interval_s=60.0), InFlight(), Probes(a=Pulse.WELL))
    keeper.retarget([_target("a")])
    await _until(keeper, "a", Health.READY)
    for _ in range(9):
        keeper.request_failed("a", "answered 500")
    assert [engine.name for engine in keeper.fleet.candidates("m", Pool.DECODE, loaded({}))] == ["a"]
    await keeper.close()


async def test_an_engine_that_left_is_probed_no_more() -> None:
    probes = Probes(a=Pulse.WELL, b=Pulse.WELL)
    keeper = FleetKeeper(FAST, InFlight(), probes)
    keeper.retarget([_target("a"), _target("b")])
    await _until(keeper, "b", Health.READY)
    keeper.retarget([_target("b")])
    probes.asked.clear()
    await until(lambda: len(probes.asked) >= 5)
    assert set(probes.asked) == {"b"}
    await keeper.close()
