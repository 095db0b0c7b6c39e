"""`kvdeck demo`: finds the running stack, plays the story on it, and puts everything back."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import httpx

from stack.api.client import ControlClient
from stack.demo.error import DemoError
from stack.demo.prompt import encoder, text_of
from stack.demo.stage import Stage
from stack.demo.story import Played, Step, Story
from stack.demo.whereabouts import Whereabouts
from stack.local.home import home_layout
from stack.traffic.client import Client
from stack.wiring.running_stack import RunningStack

NEEDED = ("router", "control", "exporter")


async def play(
    tokens: int, on_wait: Callable[[str], None], on_request: Callable[[], None], on_step: Callable[[Step], None]
) -> Played:
    """Plays every step. Raises StackNotReadyError, DemoError, ControlError, SupervisorUnavailableError."""
    stack = await RunningStack.find(home_layout(), NEEDED, on_wait)
    async with stack.traffic_held(), httpx.AsyncClient(trust_env=False) as http:
        with ControlClient(stack.urls["control"], actor="demo") as control:
            steps = await _steps(stack, http, control, tokens, on_request, on_step)
    return Played(steps=tuple(steps), urls=dict(stack.urls), emulated=stack.emulated)


async def _steps(
    stack: RunningStack,
    http: httpx.AsyncClient,
    control: ControlClient,
    tokens: int,
    on_request: Callable[[], None],
    on_step: Callable[[Step], None],
) -> list[Step]:
    stage, encode = _stage(stack, http, control)
    nonce = secrets.token_hex(4)
    story = Story(stage, tokens, lambda word: text_of(tokens, f"{nonce} {word}", lambda text: len(encode(text))), on_request)
    now = stage.desired()
    steps = []
    try:
        async for step in story.steps(now):
            on_step(step)
            steps.append(step)
    finally:
        stage.steer(now)
    return steps


def _stage(stack: RunningStack, http: httpx.AsyncClient, control: ControlClient) -> tuple[Stage, Callable[[str], Sequence[int]]]:
    model = sorted(control.state().desired.models)[0]
    engines = [target for target in stack.targets if target.model == model]
    behind = next((target for target in engines if target.cache_server is not None), None)
    if behind is None or behind.cache_server is None:
        raise DemoError("no engine names a cache server: this stack has no tiers to show")
    encode = encoder(Path(behind.model_root))
    stage = Stage(
        client=Client(http, stack.urls["router"], model, time.monotonic),
        http=http,
        exporter_url=stack.urls["exporter"],
        control=control,
        whereabouts=Whereabouts(control, behind.model_root, behind.cache_server, encode, time.monotonic),
        engines=frozenset(target.replica for target in engines),
        model=model,
        clock=time.monotonic,
        sleep=asyncio.sleep,
    )
    return stage, encode
