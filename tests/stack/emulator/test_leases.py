from collections.abc import Sequence

import pytest

from stack.emulator.leases import Leases
from stack.emulator.telemetry import Telemetry
from stack.emulator.transfer import Claim
from tests.stack.emulator.rig import PROFILE


@pytest.fixture
def released() -> list[list[int]]:
    return []


@pytest.fixture
def leases(released: list[list[int]]) -> Leases:
    def release(blocks: Sequence[int]) -> None:
        released.append(list(blocks))

    return Leases(30.0, release, Telemetry("m", PROFILE))


def test_an_unclaimed_lease_ends_on_time(leases: Leases, released: list[list[int]]) -> None:
    leases.grant("r", [1, 2], now=5.0)
    assert leases.next_expiry() == 35.0
    leases.expire(34.9)
    assert released == []
    leases.expire(35.0)
    assert (released, leases.next_expiry(), leases.claim("r")) == ([[1, 2]], None, Claim.GONE)


def test_a_claimed_lease_lasts_until_it_was_read(leases: Leases, released: list[list[int]]) -> None:
    leases.grant("r", [1, 2], now=5.0)
    assert leases.claim("r") is Claim.HELD
    leases.expire(1000.0)
    assert released == []
    leases.give_up("r")
    leases.give_up("r")
    assert released == [[1, 2]]
