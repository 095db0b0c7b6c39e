"""`kvdeck bench live`: finds the running stack, measures every arm on it, and puts everything back."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import httpx

from stack.api.client import ControlClient
from stack.bench.arm import Arm, Measured
from stack.bench.comparison import Comparison, Workload
from stack.bench.stage import Stage
from stack.local.home import home_layout
from stack.traffic.client import Client, model_of
from stack.traffic.scenarios import Sizes
from stack.wiring.running_stack import RunningStack

NEEDED = ("router", "control")
UNTOLD_CONTEXT = 4096  # tokens, for a stack that does not say how much its model takes
CONNECTIONS = 128


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveOptions:
    """`rate` is requests a second, `seconds` how long each arm is loaded, `answer` the tokens of an answer."""

    rate: float
    seconds: float
    seed: int
    answer: int
    threshold: int


@dataclass(frozen=True, slots=True)
class Compared:
    """Every arm in the order in which it ran."""

    arms: Sequence[Measured]
    emulated: bool


async def compare(arms: Sequence[Arm], options: LiveOptions, on_arm: Callable[[Arm, str], None]) -> Compared:
    """Measures all arms; `on_arm` is told what is done with which.

    Raises StackNotReadyError, StageError, EndpointError, ControlError, SupervisorUnavailableError.
    """
    stack = await RunningStack.find(home_layout(), NEEDED)
    limits = httpx.Limits(max_connections=CONNECTIONS)
    async with stack.traffic_held(), httpx.AsyncClient(trust_env=False, limits=limits) as http:
        with ControlClient(stack.urls["control"], actor="bench") as control:
            model = await model_of(http, stack.urls["router"], None)
            client = Client(http, stack.urls["router"], model.name, time.monotonic)
            sizes = Sizes(model.context or UNTOLD_CONTEXT, options.answer)
            workload = Workload(options.rate, options.seconds, options.seed, sizes)
            comparison = Comparison(client, workload, secrets.token_hex(4), stack.emulated, time.monotonic)
            stage = Stage(control, model.name, time.monotonic, asyncio.sleep)
            measured = await _measure_all(stage, comparison, arms, options.threshold, on_arm)
    return Compared(measured, stack.emulated)


async def _measure_all(
    stage: Stage, comparison: Comparison, arms: Sequence[Arm], threshold: int, on_arm: Callable[[Arm, str], None]
) -> list[Measured]:
    before, measured = stage.desired(), []
    try:
        for arm in arms:
            on_arm(arm, "setting")
            await stage.set(arm, threshold)
            on_arm(arm, "measuring")
            measured.append(await comparison.measure(arm))
    finally:
        await stage.restore(before)
    return measured
