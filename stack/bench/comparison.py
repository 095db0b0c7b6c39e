"""Strategies on a running stack, one after the other: the same requests at the same times, and no cache in common."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from stack.bench.arm import Arm, Measured
from stack.traffic.load import Asks, Load, poisson
from stack.traffic.report import Report, Summary
from stack.traffic.scenarios import SCENARIOS, Salted, Sizes

IN_FLIGHT_MAX = 64  # more waiting at once than that, and the rate is beyond the machine: the rest is skipped and counted


@dataclass(frozen=True, slots=True)
class Workload:
    """`rate` is requests a second on average, `seconds` how long they are sent; what is under way then is waited for."""

    rate: float
    seconds: float
    seed: int
    sizes: Sizes


class Comparison:
    """Measures arms on whatever `client` asks. `nonce` parts this run's caches from those of an earlier one."""

    def __init__(
        self,
        client: Asks,
        workload: Workload,
        nonce: str,
        emulated: bool,
        clock: Callable[[], float],
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._client = client
        self._workload = workload
        self._nonce = nonce
        self._emulated = emulated
        self._clock = clock
        self._sleep = sleep

    async def measure(self, arm: Arm) -> Measured:
        """Send the arm's requests through the stack as it is now set."""
        shape = str(arm.shape)
        return Measured(shape=shape, scenario=arm.scenario, strategy=arm.strategy, summary=await self._run(arm))

    async def _run(self, arm: Arm) -> Summary:
        wanted = self._workload
        # The scenario draws from a stream of its own: what is asked does not depend on when.
        scenario = SCENARIOS[arm.scenario](random.Random(wanted.seed), wanted.sizes)
        salted = Salted(scenario, f"{self._nonce}-{arm.shape}-{arm.scenario}-{arm.strategy}")
        report = Report(self._emulated)
        load = Load(self._client, self._clock, self._sleep, report.add, IN_FLIGHT_MAX)
        began = self._clock()
        await load.run(poisson(salted, wanted.rate, wanted.seconds, random.Random(wanted.seed + 1)))
        return report.summary(self._clock() - began, load.skipped, too_long=0)
