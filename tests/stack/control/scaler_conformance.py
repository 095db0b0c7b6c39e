"""What every `stack.control.ports.PoolScaler` does, whatever runs the engines.

A test module makes a `Rig` for its machinery and calls `conforms` with it.
"""

from __future__ import annotations

from typing import Protocol

import pytest

from stack.control.machinery import EngineProcess, Phase
from stack.control.ports import PoolScaler, ScalerError
from stack.model.tier import Pool

MODEL = "smollm2"


class Rig(Protocol):
    """A machinery with one prefill engine and two decode engines of MODEL, all of them ready."""

    scaler: PoolScaler

    async def settle(self) -> None:
        """Let the machinery do all that it was asked: what was started is ready, what was removed is gone."""
        ...

    async def break_down(self) -> None:
        """From now on the machinery does not answer."""
        ...


async def conforms(rig: Rig) -> None:
    """The whole contract, one promise after the other, on one machinery."""
    await _lists_what_runs(rig)
    await _a_started_engine_is_listed_before_it_is_ready(rig)
    await _removes_the_engine_in_turn_and_no_other(rig)
    await _refuses_what_it_does_not_run(rig)
    await rig.break_down()
    for asked in (rig.scaler.look(), rig.scaler.grow(MODEL, Pool.DECODE, 1), rig.scaler.remove("decode-0")):
        with pytest.raises(ScalerError):
            await asked


async def engines(rig: Rig, pool: Pool) -> dict[str, EngineProcess]:
    return {one.name: one for one in (await rig.scaler.look()).processes if one.pool is pool}


async def _lists_what_runs(rig: Rig) -> None:
    there = {pool: await engines(rig, pool) for pool in Pool}
    assert {pool: len(found) for pool, found in there.items()} == {Pool.PREFILL: 1, Pool.DECODE: 2}
    for pool, found in there.items():
        assert {(one.model, one.pool, one.phase) for one in found.values()} == {(MODEL, pool, Phase.RUNNING)}
        assert all(one.url for one in found.values())
    for workload in (await rig.scaler.look()).workloads:
        assert workload.replicas == len(there[workload.pool])
        assert workload.set_by is None or workload.owner is None


async def _a_started_engine_is_listed_before_it_is_ready(rig: Rig) -> None:
    before = await engines(rig, Pool.DECODE)
    named = await rig.scaler.grow(MODEL, Pool.DECODE, 1)
    coming = {name: one for name, one in (await engines(rig, Pool.DECODE)).items() if name not in before}
    assert len(coming) == 1
    assert set(named) <= coming.keys()
    assert {one.phase for one in coming.values()} == {Phase.STARTING}
    await rig.settle()
    after = await engines(rig, Pool.DECODE)
    assert (len(after), after.keys() > before.keys()) == (3, True)
    assert {one.phase for one in after.values()} == {Phase.RUNNING}
    assert set(named) <= after.keys()


async def _removes_the_engine_in_turn_and_no_other(rig: Rig) -> None:
    for left in (2, 1):
        before = await engines(rig, Pool.DECODE)
        first = min(one.turn for one in before.values())
        leaver = sorted(name for name, one in before.items() if one.turn == first)[0]
        await rig.scaler.remove(leaver)
        await rig.settle()
        after = await engines(rig, Pool.DECODE)
        assert after.keys() == before.keys() - {leaver}
        assert len(after) == left
    assert len(await engines(rig, Pool.PREFILL)) == 1


async def _refuses_what_it_does_not_run(rig: Rig) -> None:
    with pytest.raises(ScalerError):
        await rig.scaler.grow("no-such-model", Pool.DECODE, 1)
    with pytest.raises(ScalerError):
        await rig.scaler.remove("decode-99")
    assert len(await engines(rig, Pool.DECODE)) == 1
