"""Pools whose size is somebody else's are left as they are, and the reason is said."""

from __future__ import annotations

from dataclasses import replace

import pytest

from stack.control.decide import decide
from stack.control.drain import Drain
from stack.control.holds import Place, Watched, drifting, watched
from stack.control.machinery import Limit, Machinery, PoolOwner, Workload
from stack.control.reconcile import Start, Undrain, reconcile
from stack.control.refusal import RefusedError
from stack.fleet.engine import State
from stack.model.tier import Pool
from tests.stack.control.samples import FLEET, STRATEGIES, desired, member

DECODE: Place = ("smollm2", Pool.DECODE)
OURS = Workload("smollm2", Pool.DECODE, "Deployment decode", 2)
HPA = PoolOwner("HorizontalPodAutoscaler", "decode", "delete it, or take decode out of its scaleTargetRef")
FIELD = "models.smollm2.pools.decode.replicas"


def looks(*sizes: tuple[int, str | None, int]) -> Watched:
    """What is thought of the pool after looks at its (replicas, set by, desired)."""
    watching: dict[Place, Watched] = {}
    for replicas, set_by, wanted in sizes:
        watching = watched(watching, [replace(OURS, replicas=replicas, set_by=set_by)], desired(decode=wanted))
    return watching[DECODE]


def test_what_kvdeck_set_is_on_its_way() -> None:
    assert looks((2, None, 3), (3, None, 3)) == Watched(3, 3)
    assert looks((4, None, 2), (3, None, 2)) == Watched(3, 2)


def test_at_the_first_look_and_after_a_change_what_is_desired_counts() -> None:
    assert looks((5, "kubectl", 2)).hold is None
    assert looks((2, None, 2), (5, "kubectl", 3)).hold is None


def test_a_size_that_another_hand_set_is_left_until_another_one_is_desired() -> None:
    held = looks((2, None, 2), (5, "kubectl", 2), (5, "kubectl", 2))
    assert held == Watched(
        5, 2, "kubectl scaled Deployment decode to 5, which is left so: desire 5 to keep it, or scale it back to 2"
    )
    assert dict(drifting({DECODE: held})) == {FIELD: held.hold}
    assert looks((2, None, 2), (5, "kubectl", 2), (5, "kubectl", 5)).hold is None
    assert looks((2, None, 2), (5, "kubectl", 2), (2, "kubectl", 2)).hold is None
    assert looks((2, None, 2), (5, "kubectl", 2), (5, "kubectl", 3)).hold is None


def test_an_owned_pool_is_always_left_and_drifts_only_where_it_differs() -> None:
    owned = replace(OURS, owner=HPA)
    same, other = (watched({}, [owned], desired(decode=wanted)) for wanted in (2, 3))
    reason = (
        "HorizontalPodAutoscaler decode sets the replicas of Deployment decode; "
        "for kvdeck to set them delete it, or take decode out of its scaleTargetRef"
    )
    assert same[DECODE].hold == other[DECODE].hold == reason
    assert (dict(drifting(same)), dict(drifting(other))) == ({}, {FIELD: reason})


def test_a_change_of_an_owned_pools_replicas_is_refused_and_any_other_goes_through() -> None:
    owned = Machinery(workloads=(replace(OURS, owner=HPA),))
    with pytest.raises(RefusedError, match="HorizontalPodAutoscaler decode sets the replicas of Deployment decode") as refused:
        decide({"pools": {"decode": {"replicas": 3}}}, desired(), FLEET, STRATEGIES, owned)
    assert refused.value.field == FIELD
    assert decide(
        {"pools": {"prefill": {"replicas": 2}}, "dpd": {"routing_threshold": 9}}, desired(), FLEET, STRATEGIES, owned
    ).diff


def test_what_an_owner_has_set_may_be_desired() -> None:
    owned = Machinery(workloads=(replace(OURS, owner=HPA, replicas=5),))
    assert decide({"pools": {"decode": {"replicas": 5}}}, desired(), FLEET, STRATEGIES, owned).diff


def test_a_pool_that_is_held_neither_grows_nor_drains() -> None:
    fleet = (*FLEET, member("decode-2", State.DRAINING))
    held = {DECODE: Watched(3, 1, "somebody did")}
    drains = {"decode-2": Drain("decode-2", 90.0, 5)}
    assert reconcile(desired(decode=1), fleet, drains, 100.0, None, held) == (Undrain("decode-2"),)
    assert reconcile(desired(decode=9), FLEET, {}, 100.0, None, held) == ()


def test_a_pool_with_a_workload_grows_at_once() -> None:
    starting = (*FLEET, member("decode-2", State.JOINING, starting=True))
    watching = {DECODE: Watched(3, 5)}
    assert reconcile(desired(decode=5), starting, {}, 100.0, None, watching) == (Start("smollm2", Pool.DECODE, 2),)


def test_a_pool_that_cannot_have_more_does_not_grow_and_may_shrink() -> None:
    limited = Machinery(workloads=(replace(OURS, limit=Limit(1, "so says its maker")),))

    def change(replicas: int) -> None:
        decide({"pools": {"decode": {"replicas": replicas}}}, desired(decode=2), FLEET, STRATEGIES, limited)

    with pytest.raises(RefusedError) as refused:
        change(3)
    assert (refused.value.field, refused.value.message) == (FIELD, "3 is more than 1: so says its maker")
    change(1)


LISTED = Machinery(scales=False)


def test_where_nothing_scales_pools_control_marks_starts_and_ends_nothing() -> None:
    for wanted in (1, 2, 3):
        assert reconcile(desired(decode=wanted), FLEET, {}, now=10.0, machinery=LISTED) == ()
    leaving = (*FLEET[:2], member("decode-1", State.DRAINING))
    drains = {"decode-1": Drain("decode-1", 1.0, 7)}
    assert reconcile(desired(decode=1), leaving, drains, now=10.0, machinery=LISTED) == (Undrain("decode-1"),)


def test_where_nothing_scales_pools_only_the_number_that_is_listed_may_be_desired() -> None:
    for refused in (1, 3):
        with pytest.raises(RefusedError) as told:
            decide({"pools": {"decode": {"replicas": refused}}}, desired(decode=4), FLEET, STRATEGIES, LISTED)
        assert (told.value.field, told.value.message) == (
            FIELD,
            f"{refused} is not what the target file (--targets) lists, 2: nothing that control knows runs the engines of this pool:"
            " start or stop them where they run",
        )
    listed = decide({"pools": {"decode": {"replicas": 2}}}, desired(decode=4), FLEET, STRATEGIES, LISTED)
    assert [effect.sentence for effect in listed.effects] == ["No decode engine has to end: no more than that run now."]
    assert (
        decide({"strategy": "session"}, desired(decode=4), FLEET, STRATEGIES, LISTED).desired.models["smollm2"].strategy
        == "session"
    )
