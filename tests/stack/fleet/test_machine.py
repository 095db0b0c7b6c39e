"""How events change the fleet."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stack.fleet.adapters import Adapter, AdaptersListed
from stack.fleet.engine import Health, State
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
    step,
)
from stack.fleet.snapshot import Fleet
from stack.model.target import Target
from stack.model.tier import Pool
from tests.stack.strategies.fleets import loaded

ok, probe, connect = ProbeSucceeded("a"), ProbeFailed("a", "503"), ConnectFailed("a", "refused")


def target(name: str = "a", port: int = 1) -> Target:
    return Target(replica=name, url=f"http://127.0.0.1:{port}", pool=Pool.DECODE, model="m", model_root="/m")


def after(*events: Event) -> Fleet:
    fleet = step(Fleet.of(()), TargetsChanged((target(),)))
    for event in events:
        fleet = step(fleet, event)
    return fleet


@pytest.mark.parametrize(
    ("events", "health"),
    [
        ([], Health.UNKNOWN),
        ([ok], Health.READY),
        ([probe], Health.UNKNOWN),
        ([probe, probe], Health.NOT_READY),
        ([ok, probe], Health.READY),
        ([ok, probe, ok, probe], Health.READY),
        ([ok, probe, probe], Health.NOT_READY),
        ([ok, probe, probe, ok], Health.READY),
        ([ok, connect, connect], Health.READY),
        ([ok, connect, connect, connect], Health.NOT_READY),
        ([ok, connect, connect, Answered("a"), connect], Health.READY),
        ([ok, connect, connect, connect, Answered("a")], Health.NOT_READY),
        ([ok, connect, connect, connect, ok], Health.READY),
    ],
)
def test_health_follows_probes_and_connections(events: list[Event], health: Health) -> None:
    assert after(*events).members["a"].engine.health is health


def test_a_failure_keeps_its_cause_until_the_engine_is_well() -> None:
    assert after(ok, probe).members["a"].detail == "503"
    assert after(ok, probe, ok).members["a"].detail == ""


def test_a_target_that_changed_is_another_process() -> None:
    fleet = step(after(ok), TargetsChanged((target(port=2),)))
    assert fleet.members["a"].engine.state is State.JOINING


def test_a_target_list_read_again_changes_nothing() -> None:
    fleet = after(ok)
    assert step(fleet, TargetsChanged((target(),))) is fleet


def test_draining_holds_for_engines_that_join_later_and_ends_when_it_is_lifted() -> None:
    fleet = step(after(ok), DrainingChanged(frozenset({"a", "b"})))
    fleet = step(fleet, TargetsChanged((target(), target("b"))))
    fleet = step(fleet, ProbeSucceeded("b"))
    assert [engine.state for engine in fleet.engines] == [State.DRAINING, State.DRAINING]
    assert fleet.candidates("m", Pool.DECODE, loaded({})) == ()
    lifted = step(fleet, DrainingChanged(frozenset()))
    assert [engine.state for engine in lifted.engines] == [State.READY, State.READY]


def test_an_engine_seen_down_may_have_lost_the_adapters_it_was_given() -> None:
    listed = after(ok, AdaptersListed("a", frozenset({"sql"})))
    assert (listed.adapters, listed.unlisted, after(ok).unlisted) == ({"sql": Adapter("m", frozenset({"a"}))}, False, True)
    down = step(step(listed, probe), probe)
    assert (down.base("sql"), down.unlisted) == ("m", False)
    back = step(down, ok)
    assert (back.adapters, back.unlisted) == ({}, True)


def test_events_about_unknown_engines_change_nothing() -> None:
    fleet = after(ok)
    assert step(fleet, ProbeFailed("gone", "refused")) is fleet


def pool(*names: str) -> Fleet:
    """Ready engines of one pool."""
    fleet = step(Fleet.of(()), TargetsChanged(tuple(target(name) for name in names)))
    for name in names:
        fleet = step(fleet, ProbeSucceeded(name))
    return fleet


def names_of(fleet: Fleet, **in_flight: int) -> str:
    return "".join(engine.name for engine in fleet.candidates("m", Pool.DECODE, loaded(in_flight)))


def test_an_ejected_engine_gets_no_request_then_one_at_a_time_and_its_health_is_what_probes_say() -> None:
    fleet = step(step(pool("a", "b"), RequestFailed("a", "answered 500")), Ejected("a", 10.0, "after 1 failures: answered 500"))
    assert (names_of(fleet), fleet.members["a"].engine.health) == ("b", Health.READY)
    assert fleet.members["a"].account == "ejected for 10 s after 1 failures: answered 500"
    assert names_of(step(step(fleet, Answered("a")), ok)) == "b"
    fleet = step(fleet, TrialDue("a"))
    assert (names_of(fleet), names_of(fleet, a=1)) == ("ab", "b")
    assert fleet.members["a"].account == "on trial, was ejected for 10 s after 1 failures: answered 500"
    fleet = step(step(fleet, Answered("a")), ok)
    assert (names_of(fleet, a=1), fleet.members["a"].account) == ("ab", "")


def test_an_engine_that_probes_saw_down_comes_back_without_a_past() -> None:
    fleet = step(pool("a", "b"), Ejected("a", 10.0, "why"))
    for event in (probe, probe, ok):
        fleet = step(fleet, event)
    assert names_of(fleet) == "ab"


def test_health_that_nobody_looked_at_for_long_is_unknown_until_the_next_probe() -> None:
    fleet = step(pool("a", "b"), HealthAged("a", "not looked at for 11 s"))
    member = fleet.members["a"]
    assert (names_of(fleet), member.engine.health, member.account) == ("b", Health.UNKNOWN, "not looked at for 11 s")
    assert names_of(step(fleet, ok)) == "ab"


def test_failed_requests_are_counted_across_probes_and_until_an_answer() -> None:
    failed = RequestFailed("a", "answered 500")
    assert after(ok, failed, ok, connect, ok, failed).members["a"].failures == 3
    assert after(ok, failed, Answered("a"), failed).members["a"].failures == 1


@pytest.mark.parametrize(("size", "out"), [(1, 0), (2, 1), (3, 1), (4, 2), (5, 2)])
def test_no_more_than_half_a_pool_is_out(size: int, out: int) -> None:
    names = "abcde"[:size]
    fleet = pool(*names)
    for name in names:
        fleet = step(fleet, Ejected(name, 10.0, "why"))
    assert names_of(fleet) == names[out:]


def test_ejected_engines_come_back_when_the_others_fall_away() -> None:
    fleet = step(pool("a", "b"), Ejected("a", 10.0, "why"))
    for event in (ProbeFailed("b", "refused"), ProbeFailed("b", "refused")):
        fleet = step(fleet, event)
    assert names_of(fleet) == "a"
    assert names_of(step(step(pool("a", "b"), Ejected("a", 10.0, "why")), DrainingChanged(frozenset("b")))) == "a"


of_one: list[Callable[[str], Event]] = [
    ProbeSucceeded,
    Answered,
    TrialDue,
    *(partial(failed, detail="x") for failed in (ProbeFailed, ConnectFailed, RequestFailed)),
    partial(Ejected, seconds=1.0, cause="why"),
    partial(HealthAged, detail="x"),
]
events = st.lists(
    st.one_of(
        st.builds(lambda make, name: make(name), st.sampled_from(of_one), st.sampled_from(["a", "b"])),
        st.frozensets(st.sampled_from(["a", "b"])).map(DrainingChanged),
        st.sets(st.sampled_from(["a", "b"])).map(lambda names: TargetsChanged(tuple(target(name) for name in sorted(names)))),
    ),
    max_size=30,
)


@settings(max_examples=50, deadline=None)
@given(events=events)
def test_the_views_always_agree_with_the_members(events: list[Event]) -> None:
    fleet = after(*events)
    routable = tuple(engine for engine in fleet.engines if engine.routable)
    assert fleet.candidates("m", Pool.DECODE, loaded({})) == routable
    assert all(engine.draining == (engine.name in fleet.draining) for engine in fleet.engines)


@settings(max_examples=50, deadline=None)
@given(events=events)
def test_at_least_half_of_what_is_ready_takes_requests(events: list[Event]) -> None:
    fleet = after(*events)
    ready = [engine for engine in fleet.engines if engine.health is Health.READY and not engine.draining]
    assert len(fleet.candidates("m", Pool.DECODE, loaded({"a": 1, "b": 1}))) >= len(ready) / 2
