"""Engines are met when they become ready, each time they do."""

import asyncio

from stack.fleet.machine import ProbeFailed, ProbeSucceeded, TargetsChanged, step
from stack.fleet.snapshot import Fleet
from stack.model.target import Target
from stack.model.tier import Pool
from stack.router.greeter import Greeter

TARGET = Target(replica="a", url="http://a", pool=Pool.DECODE, model="m", model_root="/m")


class Noting:
    def __init__(self) -> None:
        self.met: asyncio.Queue[str] = asyncio.Queue()
        self.gone: list[str] = []

    async def meet(self, target: Target) -> None:
        self.met.put_nowait(target.replica)

    def left(self, replica: str) -> None:
        self.gone.append(replica)


async def test_an_engine_is_met_each_time_it_becomes_ready_and_said_to_be_gone_once() -> None:
    noting = Noting()
    greeter = Greeter(noting)
    running = asyncio.create_task(greeter.run())
    fleet = Fleet.of(())
    well, unwell = ProbeSucceeded("a"), ProbeFailed("a", "refused")
    for event in (TargetsChanged((TARGET,)), well, well, unwell, unwell, well, TargetsChanged(())):
        after = step(fleet, event)
        greeter.fleet_changed(fleet, after)
        fleet = after
    async with asyncio.timeout(60):
        assert [await noting.met.get(), await noting.met.get()] == ["a", "a"]
    assert noting.met.empty()
    assert noting.gone == ["a"]
    running.cancel()
