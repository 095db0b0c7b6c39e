"""How events change the fleet."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stack.fleet.engine import Health, State
from stack.fleet.machine import (
    Answered,
    ConnectFailed,
    DrainingChanged,
    Event,
    ProbeFailed,
    ProbeSucceeded,
    TargetsChanged,
    step,
)
from stack.fleet.snapshot import Fleet
from stack.model.target import Target
from stack.model.tier import Pool

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
    assert fleet.candidates("m", Pool.DECODE, {}) == ()
    lifted = step(fleet, DrainingChanged(frozenset()))
    assert [engine.state for engine in lifted.engines] == [State.READY, State.READY]


def test_events_about_unknown_engines_change_nothing() -> None:
    fleet = after(ok)
    assert step(fleet, ProbeFailed("gone", "refused")) is fleet


events = st.lists(
    st.one_of(
        st.sampled_from(["a", "b"]).flatmap(
            lambda name: st.sampled_from([ProbeSucceeded(name), ProbeFailed(name, "x"), ConnectFailed(name, "x"), Answered(name)])
        ),
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
    assert fleet.candidates("m", Pool.DECODE, {}) == routable
    assert all(engine.draining == (engine.name in fleet.draining) for engine in fleet.engines)
