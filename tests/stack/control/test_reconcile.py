from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace as replace_fields

from stack.control.drain import Drain
from stack.control.leaving import leavers
from stack.control.members import Member
from stack.control.reconcile import Mark, Patience, Remove, Start, Step, Undrain, reconcile
from stack.control.state import Desired
from stack.fleet.engine import Health, State
from stack.model.tier import Pool
from tests.stack.control.samples import FLEET, desired, member

PATIENCE = Patience(drain=60.0)


def _steps(fleet: tuple[Member, ...], *drains: Drain, prefill: int = 1, decode: int = 2, now: float = 100.0) -> tuple[Step, ...]:
    return reconcile(desired(prefill, decode), fleet, {drain.name: drain for drain in drains}, now, PATIENCE)


def _leaving(name: str) -> Member:
    return member(name, State.DRAINING)


def test_a_fleet_that_is_as_desired_needs_nothing() -> None:
    assert _steps(FLEET) == ()


def test_pools_grow_one_engine_at_a_time() -> None:
    assert _steps(FLEET, decode=4) == (Start("smollm2", Pool.DECODE),)
    starting = (*FLEET, member("decode-2", State.JOINING, starting=True))
    assert _steps(starting, decode=4) == ()
    assert _steps((*FLEET, member("decode-2", State.JOINING)), decode=4) == (Start("smollm2", Pool.DECODE),)


def test_the_two_pools_do_not_wait_for_each_other() -> None:
    starting = (*FLEET, member("decode-2", State.JOINING, starting=True))
    assert _steps(starting, prefill=2, decode=4) == (Start("smollm2", Pool.PREFILL),)


def test_an_engine_that_is_down_still_counts() -> None:
    """Its machinery restarts it, or an operator holds it down: another one is not what was asked for."""
    assert _steps((*FLEET[:2], member("decode-1", State.DOWN))) == ()


def test_shrinking_marks_the_highest_number_first() -> None:
    assert _steps(FLEET, decode=1) == (Mark("decode-1"),)
    ten = (FLEET[0], *(member(f"decode-{number}") for number in (8, 9, 10)))
    assert _steps(ten, decode=1) == (Mark("decode-10"), Mark("decode-9"))


def test_an_engine_that_serves_nothing_leaves_before_a_ready_one() -> None:
    assert _steps((FLEET[0], member("decode-0", State.DOWN), member("decode-1")), decode=1) == (Mark("decode-0"),)


def test_growing_while_one_drains_takes_that_one_back() -> None:
    fleet = (FLEET[0], FLEET[1], _leaving("decode-1"))
    assert _steps(fleet, Drain("decode-1", 90.0, 5)) == (Undrain("decode-1"),)
    assert _steps(fleet, Drain("decode-1", 90.0, 5), decode=3) == (Undrain("decode-1"), Start("smollm2", Pool.DECODE))


def test_an_engine_that_is_being_ended_is_not_taken_back() -> None:
    fleet = (FLEET[0], FLEET[1], _leaving("decode-1"))
    assert _steps(fleet, Drain("decode-1", 90.0, 5, removing=True)) == (Start("smollm2", Pool.DECODE),)


def test_a_draining_engine_ends_once_it_is_quiet() -> None:
    fleet = (FLEET[0], FLEET[1], _leaving("decode-1"))
    busy = Drain("decode-1", 90.0, 5)
    assert _steps(fleet, busy, decode=1) == ()
    assert _steps(fleet, replace(busy, quiet_since=99.5), decode=1) == ()
    assert _steps(fleet, replace(busy, quiet_since=99.0), decode=1) == (Remove("decode-1", "drained after 10.0 s"),)


def test_a_pool_with_a_drain_time_of_its_own_waits_that_long() -> None:
    fleet, drain = (FLEET[0], FLEET[1], _leaving("decode-1")), Drain("decode-1", 90.0, 5)
    quick = desired(decode=1)
    pools = quick.models["smollm2"].pools
    own = replace_fields(pools.decode, drain_seconds=20.0)
    quick = Desired(models={"smollm2": replace_fields(quick.models["smollm2"], pools=replace_fields(pools, decode=own))})
    assert reconcile(quick, fleet, {"decode-1": drain}, 109.0, PATIENCE) == ()
    gone = Remove("decode-1", "still busy after 20 s of draining")
    assert reconcile(quick, fleet, {"decode-1": drain}, 110.0, PATIENCE) == (gone,)


def test_a_prefill_engine_stays_while_a_decode_engine_may_still_fetch_from_it() -> None:
    fleet = (*FLEET, _leaving("prefill-1"))
    quiet = Drain("prefill-1", 60.0, 5, quiet_since=80.0)
    assert _steps(fleet, quiet, now=100.0) == ()
    assert _steps(fleet, quiet, now=110.0) == (Remove("prefill-1", "drained after 50.0 s"),)


def test_an_engine_that_never_gets_quiet_ends_at_the_time_limit() -> None:
    fleet = (FLEET[0], FLEET[1], _leaving("decode-1"))
    assert _steps(fleet, Drain("decode-1", 40.0, 5), decode=1) == (Remove("decode-1", "still busy after 60 s of draining"),)


def test_the_last_ready_decode_engine_is_kept() -> None:
    """The engine that was to stay died while the other drained: the ready one stays instead, then the dead one leaves."""
    fleet = (FLEET[0], member("decode-0", State.DOWN), _leaving("decode-1"))
    quiet = Drain("decode-1", 90.0, 5, quiet_since=90.0)
    assert _steps(fleet, quiet, decode=1) == (Undrain("decode-1"),)
    next_look = (FLEET[0], member("decode-0", State.DOWN), member("decode-1"))
    assert _steps(next_look, decode=1) == (Mark("decode-0"),)


STATES = st.sampled_from([State.READY, State.DOWN, State.JOINING])


@given(st.lists(STATES, max_size=6), st.integers(1, 6))
def test_a_ready_engine_stays_as_long_as_any_engine_does(states: list[State], replicas: int) -> None:
    pool = [member(f"decode-{number}", state) for number, state in enumerate(states)]
    gone = leavers(pool, replicas)
    stay = [engine for engine in pool if engine not in gone]
    assert len(stay) == min(replicas, len(pool))
    assert any(engine.state is State.READY for engine in stay) == any(engine.state is State.READY for engine in pool)


@given(st.lists(STATES, min_size=1, max_size=5), st.lists(st.booleans(), max_size=3), st.integers(1, 6))
def test_no_step_ever_takes_the_last_ready_decode_engine(states: list[State], leaving: list[bool], replicas: int) -> None:
    here = [member(f"decode-{number}", state) for number, state in enumerate(states)]
    going = [
        member(f"decode-{len(here) + number}", State.DRAINING, health=Health.READY if ready else Health.NOT_READY)
        for number, ready in enumerate(leaving)
    ]
    steps = _steps((*here, *going), *(Drain(engine.name, 0.0, 1) for engine in going), decode=replicas)
    serving = {engine.name for engine in here if engine.state is State.READY}
    serving |= {step.name for step in steps if isinstance(step, Undrain)}
    serving -= {step.name for step in steps if isinstance(step, Mark)}
    could = [engine for engine in (*here, *going) if engine.health is Health.READY]
    assert serving or not could


def _ordinals(*states: State) -> tuple[Member, ...]:
    """A pool whose machinery always ends the highest number, as a StatefulSet does."""
    return (FLEET[0], *(member(f"decode-{number}", state, turn=-number) for number, state in enumerate(states)))


def test_where_the_machinery_goes_by_turns_the_next_in_turn_leaves() -> None:
    assert _steps(_ordinals(State.DOWN, State.READY, State.READY), decode=2) == (Mark("decode-2"),)


def test_an_engine_is_not_removed_before_those_whose_turn_is_first() -> None:
    fleet = _ordinals(State.READY, State.DRAINING, State.DRAINING)
    quiet, busy = Drain("decode-1", 90.0, 5, quiet_since=95.0), Drain("decode-2", 90.0, 5)
    assert _steps(fleet, quiet, busy, decode=1) == ()
    assert _steps(fleet, quiet, replace(busy, quiet_since=96.0), decode=1) == (Remove("decode-2", "drained after 10.0 s"),)
    assert _steps(fleet, quiet, replace(busy, quiet_since=96.0, removing=True), decode=1) == (
        Remove("decode-1", "drained after 10.0 s"),
    )


def test_the_last_ready_decode_engine_stays_though_it_is_its_turn() -> None:
    assert _steps(_ordinals(State.DOWN, State.READY), decode=1) == ()


def test_engines_change_places_where_the_machinery_would_end_another_one() -> None:
    """A Deployment ends pods that are not ready first, whichever drained."""
    fleet = (*FLEET[:2], member("decode-1", State.DOWN, turn=-1), _leaving("decode-2"))
    assert _steps(fleet, Drain("decode-2", 90.0, 5, quiet_since=91.0)) == (Undrain("decode-2"), Mark("decode-1"))
