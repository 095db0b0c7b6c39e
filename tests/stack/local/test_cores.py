import pytest

from stack.local.cores import Division, TooFewCoresError, divide
from stack.model.tier import Pool


def alone(core: int) -> frozenset[int]:
    return frozenset({core})


def hyperthreads(core: int) -> frozenset[int]:
    return frozenset({core % 4, core % 4 + 4})


def test_two_cores_are_one_for_each_pool() -> None:
    assert divide([0, 1], alone, True, 8) == Division((0,), (1,))


def test_hardware_threads_of_a_core_go_to_one_pool() -> None:
    assert divide(range(8), hyperthreads, True, 8) == Division((0, 4, 1, 5), (2, 6, 3, 7))


def test_two_threads_of_the_only_core_are_still_kept_apart() -> None:
    assert divide([0, 4], hyperthreads, True, 8) == Division((0,), (4,))


def test_only_cores_we_may_use_are_used() -> None:
    assert divide([3, 6, 9], alone, True, 8) == Division((3,), (6, 9))


def test_one_core_cannot_be_divided() -> None:
    with pytest.raises(TooFewCoresError, match="start with --prefill 0"):
        divide([0], alone, True, 8)


def test_without_prefill_decode_has_all() -> None:
    assert divide([0, 1], alone, False, 8).decode == (0, 1)


def test_a_pool_takes_no_more_than_the_limit() -> None:
    assert divide(range(64), alone, True, 2) == Division((0, 1), (32, 33))


def test_engines_of_a_pool_have_their_own_cores_while_they_last() -> None:
    division = Division((0, 1, 2, 3), (4, 5, 6, 7))
    assert [division.of(Pool.DECODE, index, 2) for index in range(3)] == [(4, 5), (6, 7), (4, 5)]
    assert [division.of(Pool.DECODE, index, 6) for index in (0, 3, 5)] == [(4,), (7,), (5,)]
    assert division.of(Pool.PREFILL, 0, 1) == (0, 1, 2, 3)
