from __future__ import annotations

from pathlib import Path

from stack.adapters.supervisor_link import ComponentState
from stack.control.room import Amount, Room
from stack.local.cores import Division
from stack.local.engine_room import NO_NIXL, EngineRoom, rooms
from stack.local.install.preflight import ENGINE_BYTES
from stack.local.seats import Seats
from stack.model.tier import Pool
from tests.stack.local.test_supervisor import Bench

NEEDS = Amount(memory_bytes=ENGINE_BYTES, cores=0.25)


def _space(prefill: bool = True) -> EngineRoom:
    division = Division((0,), (1, 2)) if prefill else Division((0, 1, 2), (0, 1, 2))
    return EngineRoom(available=lambda: 6_000_000_000, division=division, has_prefill=prefill, engines_per_core=4)


def test_engines_share_the_cores_of_their_pool_and_the_memory_of_the_machine() -> None:
    assert _space()(Pool.DECODE, 3, 0) == Room(needs=NEEDS, free=Amount(memory_bytes=6_000_000_000, cores=1.25))
    assert _space()(Pool.PREFILL, 1, 0) == Room(needs=NEEDS, free=Amount(memory_bytes=6_000_000_000, cores=0.75))


def test_what_starts_has_not_taken_its_memory_yet() -> None:
    assert _space()(Pool.DECODE, 2, 2).free.memory_bytes == 6_000_000_000 - 2 * ENGINE_BYTES


def test_a_stack_without_nixl_takes_no_prefill_engine() -> None:
    assert _space(prefill=False)(Pool.PREFILL, 0, 0).refusal == NO_NIXL
    assert _space(prefill=False)(Pool.DECODE, 0, 0).refusal is None


def test_engines_are_counted_by_pool_and_components_that_are_none_are_not(tmp_path: Path) -> None:
    bench, seats = Bench(tmp_path), Seats(8100)
    engines = [bench.engine(seats.take(pool)) for pool in (Pool.PREFILL, Pool.DECODE, Pool.DECODE)]
    states = (ComponentState.READY, ComponentState.STARTING, ComponentState.FAILED)
    there = [(bench.spec("redis"), ComponentState.STARTING), *zip(engines, states, strict=True)]
    assert rooms(_space(), there) == {"prefill": _space()(Pool.PREFILL, 1, 2), "decode": _space()(Pool.DECODE, 2, 2)}
