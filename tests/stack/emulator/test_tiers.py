from collections.abc import Sequence

from stack.emulator.events import Medium
from stack.emulator.tiers import CacheTier, Tiers


class Losses:
    """Notes what it is told to be gone."""

    def __init__(self) -> None:
        self.gone: list[tuple[Medium, list[int]]] = []

    def removed(self, medium: Medium, hashes: Sequence[int]) -> None:
        self.gone.append((medium, list(hashes)))


def test_the_least_recently_used_block_goes_first() -> None:
    tier, owner = CacheTier(Medium.CPU, 3), Losses()
    tier.store([1, 2, 3], owner)
    tier.touch([1])
    assert tier.store([4], owner) == [4]
    assert owner.gone == [(Medium.CPU, [2])]
    assert 1 in tier


def test_a_loss_is_told_to_who_stored_the_block() -> None:
    tier, early, late = CacheTier(Medium.STORAGE, 2), Losses(), Losses()
    tier.store([1, 2], early)
    tier.store([3, 4], late)
    assert (early.gone, late.gone) == ([(Medium.STORAGE, [1, 2])], [])


def test_what_is_held_is_not_stored_again() -> None:
    tier, early, late = CacheTier(Medium.CPU, 2), Losses(), Losses()
    tier.store([1], early)
    assert tier.store([1], late) == []
    tier.store([2, 3], late)
    assert early.gone == [(Medium.CPU, [1])]


def test_a_prefix_takes_each_block_from_the_nearest_tier() -> None:
    tiers = Tiers(CacheTier(Medium.CPU, 9), CacheTier(Medium.STORAGE, 9))
    tiers.l1.store([1, 2], Losses())
    tiers.l2.store([2, 3, 5], Losses())
    assert tiers.prefix([1, 2, 3, 4, 5]) == [tiers.l1, tiers.l1, tiers.l2]
