"""`kvdeck demo`: finds the running stack, plays the story on it, and puts everything back."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import httpx

from stack.api.client import ControlClient
from stack.config import Layout
from stack.demo.prompt import counter, text_of
from stack.demo.stage import Stage
from stack.demo.story import Played, Step, Story
from stack.local.home import home_layout
from stack.model.target import Target
from stack.traffic.client import Client
from stack.wiring.running_stack import RunningStack

NEEDED = ("router", "control", "exporter")


async def play(tokens: int, on_request: Callable[[], None], on_step: Callable[[Step], None]) -> Played:
    """Plays every step. Raises StackNotReadyError, DemoError, ControlError, SupervisorUnavailableError."""
    layout = home_layout()
    stack = await RunningStack.find(layout, NEEDED)
    async with stack.traffic_held(), httpx.AsyncClient(trust_env=False) as http:
        with ControlClient(stack.urls["control"], actor="demo") as control:
            steps = await _steps(layout, stack.targets, http, control, stack.urls, tokens, on_request, on_step)
    return Played(steps=tuple(steps), urls=dict(stack.urls), emulated=stack.emulated)


async def _steps(
    layout: Layout,
    targets: Sequence[Target],
    http: httpx.AsyncClient,
    control: ControlClient,
    urls: Mapping[str, str],
    tokens: int,
    on_request: Callable[[], None],
    on_step: Callable[[Step], None],
) -> list[Step]:
    model = sorted(control.state().desired.models)[0]
    client = Client(http, urls["router"], model, time.monotonic)
    stage = Stage(client, http, urls["exporter"], control, model, time.monotonic)
    root = next((Path(target.model_root) for target in targets if target.model == model), layout.model)
    length_of, nonce = counter(root), secrets.token_hex(4)
    story = Story(stage, tokens, lambda word: text_of(tokens, f"{nonce} {word}", length_of), on_request)
    now = stage.desired()
    steps = []
    try:
        async for step in story.steps(now):
            on_step(step)
            steps.append(step)
    finally:
        stage.steer(now)
    return steps
