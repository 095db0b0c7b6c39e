"""Whether a machine has room for more engines, and how much is missing."""

from __future__ import annotations

import pytest

from stack.control.decide import Decision, decide
from stack.control.machinery import Machinery
from stack.control.members import Member
from stack.control.refusal import RefusedError
from stack.control.room import Amount, Room, shortage
from stack.fleet.engine import State
from stack.model.tier import Pool
from tests.stack.control.samples import FLEET, STRATEGIES, desired, member

GB = 1_000_000_000
ENGINE = Amount(memory_bytes=5 * GB // 2, cores=0.25)


def _room(gb: float, cores: float, refusal: str | None = None) -> Room:
    return Room(needs=ENGINE, free=Amount(memory_bytes=int(gb * GB), cores=cores), refusal=refusal)


def _machine(gb: float, prefill_cores: float = 0.5, decode_cores: float = 0.5) -> Machinery:
    return Machinery(changes_roles=True, rooms={Pool.PREFILL: _room(gb, prefill_cores), Pool.DECODE: _room(gb, decode_cores)})


def _decide(machine: Machinery, fleet: tuple[Member, ...] = FLEET, **replicas: int) -> Decision:
    pools = {pool: {"replicas": count} for pool, count in replicas.items()}
    return decide({"pools": pools}, desired(), fleet, STRATEGIES, machine)


def _refusal(machine: Machinery, fleet: tuple[Member, ...] = FLEET, **replicas: int) -> tuple[str, str]:
    with pytest.raises(RefusedError) as refused:
        _decide(machine, fleet, **replicas)
    return refused.value.field.removeprefix("models.smollm2.pools."), refused.value.message


def test_what_fits_is_not_refused() -> None:
    assert _decide(_machine(2.5), decode=3).effects
    assert _decide(Machinery(), decode=60).effects


def test_a_refusal_says_how_much_is_missing() -> None:
    assert _refusal(_machine(1.9), decode=3) == (
        "decode.replicas",
        "one more decode engine needs 2.5 GB of memory and 0.25 cores; 1.9 GB of memory and 0.5 cores are free: "
        "0.6 GB of memory are missing",
    )
    assert _refusal(_machine(4.0, decode_cores=0), decode=4) == (
        "decode.replicas",
        "2 more decode engines need 5.0 GB of memory and 0.5 cores; 4.0 GB of memory and 0 cores are free: "
        "1.0 GB of memory and 0.5 cores are missing",
    )


def test_cores_are_the_pools_own_and_memory_is_the_machines() -> None:
    assert _decide(_machine(2.5, decode_cores=0), prefill=2).effects
    assert _refusal(_machine(4.0), prefill=2, decode=3)[1].endswith(
        "1.5 GB of memory and 0.5 cores are free: 1.0 GB of memory are missing"
    )


def test_what_other_pools_still_lack_is_not_free() -> None:
    """No more is said to be missing than is needed."""
    lacking = _refusal(_machine(1.9), FLEET[1:], decode=3)[1]
    assert lacking.endswith("0.0 GB of memory and 0.5 cores are free: 2.5 GB of memory are missing")


def test_what_the_same_change_ends_makes_room() -> None:
    """Also what drains already, and was not asked to stay."""
    assert _decide(_machine(0.0), prefill=2, decode=1).effects
    assert _decide(_machine(0.0), (*FLEET, member("decode-2", State.DRAINING)), prefill=2).effects
    assert _refusal(_machine(0.0, prefill_cores=0), prefill=2, decode=1)[1].endswith("0.25 cores are missing")


def test_engines_that_stay_after_all_need_no_room() -> None:
    assert _decide(_machine(0.0), (*FLEET, member("decode-2", State.DRAINING)), decode=3).effects


def test_a_change_of_something_else_asks_for_no_room() -> None:
    """An engine that is missing by now was asked for by an earlier change."""
    assert decide({"strategy": "session"}, desired(decode=3), FLEET, STRATEGIES, _machine(0.0)).effects
    assert _decide(_machine(0.0), FLEET[:2], decode=1).effects


def test_a_pool_that_cannot_have_more_says_why() -> None:
    machine = Machinery(rooms={Pool.PREFILL: _room(9, 9, "begun without prefill engines")})
    assert _refusal(machine, prefill=2) == ("prefill.replicas", "begun without prefill engines")


def test_shares_of_a_core_add_up() -> None:
    third = Amount(memory_bytes=0, cores=1 / 3)
    assert shortage(Pool.DECODE, 3, Room(needs=third, free=Amount(memory_bytes=0, cores=1.0))) is None
    assert shortage(Pool.DECODE, 4, Room(needs=third, free=Amount(memory_bytes=0, cores=1.0))) == (
        "4 more decode engines need 0.0 GB of memory and 1.33 cores; 0.0 GB of memory and 1 core are free: 0.33 cores are missing"
    )
