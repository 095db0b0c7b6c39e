"""Roles change on a machinery where one engine's place can be taken by one of the other pool."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from stack.control.decide import decide
from stack.control.drain import Drain
from stack.control.drift import drift
from stack.control.effects import Effect
from stack.control.machinery import Machinery
from stack.control.members import Member
from stack.control.reconcile import Mark, Remove, Start, Step, Undrain, reconcile
from stack.control.scaling import ChangeRole, GrowPool, ShrinkPool
from stack.fleet.engine import State
from stack.model.tier import Pool
from tests.stack.control.samples import FLEET, STRATEGIES, desired, member

LOCAL = Machinery(changes_roles=True)
LEAVING = (FLEET[0], FLEET[1], member("decode-1", State.DRAINING))


def _effects(prefill: int, decode: int, fleet: tuple[Member, ...] = FLEET, machinery: Machinery = LOCAL) -> tuple[Effect, ...]:
    patch = {"pools": {"prefill": {"replicas": prefill}, "decode": {"replicas": decode}}}
    return decide(patch, desired(), fleet, STRATEGIES, machinery).effects


def _steps(fleet: tuple[Member, ...], *drains: Drain, machinery: Machinery = LOCAL) -> tuple[Step, ...]:
    return reconcile(desired(2, 1), fleet, {drain.name: drain for drain in drains}, 100.0, machinery=machinery)


def test_an_engine_changes_its_role() -> None:
    (effect,) = _effects(2, 1)
    assert effect == ChangeRole("smollm2", Pool.DECODE, Pool.PREFILL, ("decode-1",))
    assert effect.sentence == "decode-1 is drained, ended and started again as a prefill engine; its KV in the engine is lost."


def test_where_pools_have_machines_of_their_own_no_role_changes() -> None:
    assert _effects(2, 1, machinery=Machinery()) == (
        GrowPool("smollm2", Pool.PREFILL, 1),
        ShrinkPool("smollm2", Pool.DECODE, 1, ("decode-1",)),
    )


def test_what_is_more_than_a_role_is_told_beside_it() -> None:
    assert _effects(3, 1) == (
        ChangeRole("smollm2", Pool.DECODE, Pool.PREFILL, ("decode-1",)),
        GrowPool("smollm2", Pool.PREFILL, 1),
    )
    four = (*FLEET, member("decode-2"), member("decode-3"))
    patch = {"pools": {"prefill": {"replicas": 2}, "decode": {"replicas": 1}}}
    assert decide(patch, desired(decode=4), four, STRATEGIES, LOCAL).effects == (
        ChangeRole("smollm2", Pool.DECODE, Pool.PREFILL, ("decode-3",)),
        ShrinkPool("smollm2", Pool.DECODE, 2, ("decode-2", "decode-1")),
    )


def test_two_roles_are_told_as_two() -> None:
    three = (*FLEET, member("decode-2"))
    patch = {"pools": {"prefill": {"replicas": 3}, "decode": {"replicas": 1}}}
    (effect,) = decide(patch, desired(decode=3), three, STRATEGIES, LOCAL).effects
    assert effect.sentence == (
        "decode-2, decode-1 are drained, ended and started again as prefill engines, one at a time; their KV in the engine is lost."
    )


def test_an_engine_that_still_drains_is_taken_back_before_a_role_changes() -> None:
    fleet = (*FLEET, member("prefill-1", State.DRAINING))
    assert _effects(2, 1, fleet) == (
        GrowPool("smollm2", Pool.PREFILL, 1, ("prefill-1",)),
        ShrinkPool("smollm2", Pool.DECODE, 1, ("decode-1",)),
    )


def test_it_drains_ends_and_only_then_starts() -> None:
    assert _steps(FLEET) == (Mark("decode-1"),)
    assert _steps(LEAVING, Drain("decode-1", 90.0, 5)) == ()
    assert _steps(LEAVING, Drain("decode-1", 90.0, 5, quiet_since=95.0)) == (Remove("decode-1", "drained after 10.0 s"),)
    assert _steps(LEAVING, Drain("decode-1", 90.0, 5, removing=True)) == ()
    assert _steps(FLEET[:2]) == (Start("smollm2", Pool.PREFILL),)


def test_elsewhere_nobody_waits() -> None:
    assert _steps(FLEET, machinery=Machinery()) == (Start("smollm2", Pool.PREFILL), Mark("decode-1"))


def test_what_a_role_change_waits_for_is_told() -> None:
    assert drift(desired(2, 1), LEAVING, LOCAL) == {
        "models.smollm2.pools.decode.replicas": "1 of 1 ready; decode-1 is draining, 0 in flight",
        "models.smollm2.pools.prefill.replicas": "1 of 2 ready; the next starts when decode-1 has ended",
    }


def test_the_last_ready_decode_engine_does_not_change_its_role() -> None:
    """decode-0, which was to stay, died while decode-1 drained: that one stays, and nothing starts in its place."""
    fleet = (FLEET[0], member("decode-0", State.DOWN), LEAVING[2])
    assert _steps(fleet, Drain("decode-1", 90.0, 5, quiet_since=90.0)) == (Undrain("decode-1"),)


def test_engines_that_somebody_else_started_are_kept_and_not_started_again() -> None:
    fleet = (*FLEET, member("decode-2"))
    kept, more = (decide({"pools": {"decode": {"replicas": wanted}}}, desired(), fleet, STRATEGIES).effects for wanted in (3, 4))
    assert kept == (GrowPool("smollm2", Pool.DECODE, 1, there=1),)
    assert kept[0].sentence == "Already there and kept: 1 decode engine."
    assert more[0].sentence == "Already there and kept: 1 decode engine. To start: 1 more decode engine, used once ready."


def _after(fleet: dict[str, Member], drains: dict[str, Drain], step: Step) -> None:
    """What a step makes of a fleet whose engines are quick: one starts and is ready, one that is removed is gone."""
    match step:
        case Start(_, pool):
            name = next(name for number in range(9) if (name := f"{pool}-{number}") not in fleet)
            fleet[name] = member(name)
        case Mark(name):
            fleet[name] = replace(fleet[name], state=State.DRAINING)
            drains[name] = Drain(name, 0.0, 1, quiet_since=0.0)
        case Undrain(name):
            fleet[name] = replace(fleet[name], state=State.READY)
            del drains[name]
        case Remove(name, _):
            del fleet[name], drains[name]


@given(st.integers(1, 4), st.integers(1, 4), st.integers(1, 4), st.integers(1, 4))
def test_no_more_engines_than_before_or_afterwards_ever_take_room(prefill: int, decode: int, more: int, fewer: int) -> None:
    """One step at a time, whichever comes first; and all is as desired in the end."""
    names = [*(f"prefill-{number}" for number in range(prefill)), *(f"decode-{number}" for number in range(decode))]
    fleet, drains = {name: member(name) for name in names}, dict[str, Drain]()
    for _ in range(40):
        steps = reconcile(desired(more, fewer), tuple(fleet.values()), drains, 100.0, machinery=LOCAL)
        if not steps:
            break
        _after(fleet, drains, steps[0])
        assert len(fleet) <= max(prefill + decode, more + fewer)
        assert any(one.state is State.READY for one in fleet.values() if one.pool is Pool.DECODE)
    pools = [one.pool for one in fleet.values()]
    assert (pools.count(Pool.PREFILL), pools.count(Pool.DECODE), drains) == (more, fewer, {})
