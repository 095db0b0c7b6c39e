"""What no change may do to a fleet, what only a forced one may, and that a refusal says why in numbers."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from stack.control.audit import AuditRecord, Outcome
from stack.control.decide import NO_LEEWAY, Decision, Leeway, decide
from stack.control.diff import Change
from stack.control.flights import Flight, airborne, begun, recalled
from stack.control.members import Member
from stack.control.ports import Generation
from stack.control.rails import Forced
from stack.control.refusal import RefusedError
from stack.control.scaling import ShrinkPool
from stack.control.state import Desired
from stack.fleet.engine import State
from stack.model.tier import Pool
from tests.stack.control.samples import FLEET, STRATEGIES, desired, member

DECODE = "models.smollm2.pools.decode.replicas"
PREFILL, READY_0, READY_1 = FLEET
NOON = 1_700_000_000.0  # 2023-11-14 22:13:20 UTC


def _to(
    replicas: int, fleet: Sequence[Member] = FLEET, now: Desired | None = None, leeway: Leeway = NO_LEEWAY, pool: str = "decode"
) -> Decision:
    return decide({"pools": {pool: {"replicas": replicas}}}, now or desired(), fleet, STRATEGIES, leeway=leeway)


def _refusal(replicas: int, fleet: Sequence[Member] = FLEET, now: Desired | None = None, leeway: Leeway = NO_LEEWAY) -> str:
    with pytest.raises(RefusedError) as refused:
        _to(replicas, fleet, now, leeway)
    assert refused.value.field == DECODE
    return refused.value.message


# The machinery may end engines by turns of its own, as a StatefulSet does: then it is not the idle one that goes.
@pytest.mark.parametrize(
    ("fleet", "told"),
    [
        (
            (member("decode-0", State.DOWN, turn=1), member("decode-1", turn=0)),
            "1 would leave no ready decode engine: 1 of 2 are ready, and decode-1 would end; wait until one that stays is ready",
        ),
        (
            (member("decode-0", State.JOINING), member("decode-1", State.JOINING)),
            "1 would leave no ready decode engine: 0 of 2 are ready, and decode-1 would end; wait until one that stays is ready",
        ),
    ],
)
def test_the_last_ready_decode_engine_is_kept_and_nothing_forces_it(fleet: tuple[Member, ...], told: str) -> None:
    assert _refusal(1, fleet) == told
    assert _refusal(1, fleet, leeway=Leeway(force=True)) == told


def test_engines_that_serve_nothing_may_go_while_none_is_ready() -> None:
    fleet = (member("decode-0", State.JOINING), member("decode-1", State.DOWN))
    assert _to(1, (member("decode-0", State.DOWN), member("decode-1", State.DOWN))).effects
    assert _to(1, fleet).effects == (ShrinkPool("smollm2", Pool.DECODE, 1, ("decode-1",)),)


def test_a_prefill_pool_may_go_whole() -> None:
    off = {"dpd": {"enabled": False}, "pools": {"prefill": {"replicas": 0}}}
    assert decide(off, desired(), FLEET, STRATEGIES).desired.models["smollm2"].pools.prefill.replicas == 0


GROWING = Leeway({("smollm2", Pool.DECODE): Flight(2, NOON)})


def test_a_pool_changes_again_only_once_it_got_there_and_the_refusal_says_since_when_and_what_is_missing() -> None:
    assert _refusal(5, now=desired(decode=3), leeway=GROWING) == (
        "not 5 yet: the decode pool has been on its way from 2 to 3 engines since 2023-11-14 22:13:20 UTC (2 of 3 ready); "
        "wait for it, go back to 2, or force the change"
    )
    there = (*FLEET, member("decode-2"))
    assert _to(5, there, desired(decode=3), GROWING).effects


def test_the_way_back_is_free_and_so_are_the_other_pool_and_every_other_field() -> None:
    now = desired(decode=3)
    assert _to(2, now=now, leeway=GROWING).desired == desired()
    assert _to(2, now=now, leeway=GROWING, pool="prefill").desired == desired(prefill=2, decode=3)
    assert decide({"strategy": "session"}, now, FLEET, STRATEGIES, leeway=GROWING).diff


def test_what_is_forced_is_said() -> None:
    forced = _to(5, now=desired(decode=3), leeway=Leeway(GROWING.flights, force=True)).effects
    assert forced[0] == Forced(
        "smollm2", Pool.DECODE, "the decode pool has been on its way from 2 to 3 engines since 2023-11-14 22:13:20 UTC"
    )
    assert forced[0].sentence == f"Forced: {forced[0].reason}."
    assert not any(isinstance(effect, Forced) for effect in _to(3, leeway=Leeway(force=True)).effects)


def test_bounds_are_not_passed_by_force() -> None:
    now = decide({"pools": {"decode": {"bounds": {"max": 3}}}}, desired(), FLEET, STRATEGIES).desired
    assert _refusal(4, now=now, leeway=Leeway(force=True)) == "4 is outside the pool's bounds: 0 to 3 are allowed"


def test_a_change_is_in_flight_until_the_pool_was_as_desired_once() -> None:
    grown = desired(decode=3)
    flights = begun({}, desired(), grown, NOON)
    assert flights == GROWING.flights
    assert airborne(flights, grown, FLEET) == flights
    assert airborne(flights, grown, (*FLEET, member("decode-2", State.JOINING))) == flights
    assert airborne(flights, grown, (*FLEET, member("decode-2"))) == {}
    assert airborne({}, grown, (*FLEET, member("decode-2", State.DOWN))) == {}
    assert begun(flights, grown, desired(), NOON + 9) == {("smollm2", Pool.DECODE): Flight(3, NOON + 9)}


def test_after_a_restart_the_last_change_of_each_pools_size_may_be_in_flight() -> None:
    def generation(number: int, *changes: Change) -> Generation:
        record = AuditRecord(at=1.0, actor="ann", outcome=Outcome.APPLIED, generation=number, diff=changes)
        return Generation(number, NOON + number, record)

    kept = [
        generation(4, Change(field="models.smollm2.strategy", before="session", after="kv_aware")),
        generation(3, Change(field=DECODE, before=2, after=3)),
        generation(2, Change(field=DECODE, before=1, after=2)),
        Generation(1, NOON, None),
    ]
    assert recalled(kept, desired(decode=3)) == {("smollm2", Pool.DECODE): Flight(2, NOON + 3)}
