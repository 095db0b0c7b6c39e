"""Which cores the router and its load get."""

import pytest

from stack.bench.router.placement import OneCoreError, Placement, place


def _alone(core: int) -> frozenset[int]:
    return frozenset({core})


def test_of_two_cores_the_router_has_one() -> None:
    assert place([0, 1], _alone) == Placement(router=(1,), others=(0,), workers=(1,))


def test_the_router_shares_no_physical_core_where_there_are_more() -> None:
    pairs = {0: {0, 1}, 1: {0, 1}, 2: {2, 3}, 3: {2, 3}}
    assert place(range(4), lambda core: frozenset(pairs[core])) == Placement(router=(3,), others=(0, 1), workers=(3,))
    assert place([2, 3], lambda core: frozenset(pairs[core])) == Placement(router=(3,), others=(2,), workers=(3,))


def test_several_workers_have_as_many_cores() -> None:
    placement = Placement(router=(7,), others=(0, 1, 2, 3, 4), workers=(5, 6, 7))
    assert place(range(8), _alone, workers=3) == placement


def test_workers_that_have_no_cores_of_their_own_are_crowded() -> None:
    assert place([0, 1], _alone, workers=2) == Placement(router=(1,), others=(0,), workers=(0, 1), crowded=True)


def test_one_core_is_refused_unless_forced_and_then_said() -> None:
    with pytest.raises(OneCoreError):
        place([4], _alone)
    assert place([4], _alone, force=True) == Placement(router=(4,), others=(4,), workers=(4,), shared=True)
