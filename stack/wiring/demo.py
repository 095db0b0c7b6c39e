"""`kvdeck demo`: finds the running stack, plays the story on it, and puts everything back."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import httpx

from stack.adapters.supervisor_link import Component, ComponentState, SupervisorRequest, ask
from stack.adapters.target_file import TargetFile
from stack.api.client import ControlClient
from stack.config import Layout
from stack.demo.prompt import counter, text_of
from stack.demo.stage import DemoError, Stage
from stack.demo.story import Played, Step, Story
from stack.local.home import home_layout
from stack.model.target import Target
from stack.traffic.client import Client

NEEDED = ("router", "control", "exporter")


async def play(tokens: int, on_request: Callable[[], None], on_step: Callable[[Step], None]) -> Played:
    """Plays every step. Raises DemoError, ControlError, SupervisorUnavailableError."""
    layout = home_layout()
    components = {component.name: component for component in await _components(layout)}
    urls = {name: component.url for name, component in components.items() if component.url}
    if away := [name for name in NEEDED if name not in urls or components[name].state is not ComponentState.READY]:
        raise DemoError(f"{', '.join(away)} not ready: `kvdeck up` starts the stack, `kvdeck status` tells")
    targets = TargetFile(layout.targets).changed() or []
    async with _held(layout, components.get("traffic")), httpx.AsyncClient(trust_env=False) as http:
        with ControlClient(urls["control"], actor="demo") as control:
            steps = await _steps(layout, targets, http, control, urls, tokens, on_request, on_step)
    return Played(steps=tuple(steps), urls=urls, emulated=any(target.emulated for target in targets))


async def _steps(
    layout: Layout,
    targets: Sequence[Target],
    http: httpx.AsyncClient,
    control: ControlClient,
    urls: dict[str, str],
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


async def _components(layout: Layout) -> tuple[Component, ...]:
    return (await ask(layout.supervisor_socket, SupervisorRequest(op="status"))).components


@asynccontextmanager
async def _held(layout: Layout, traffic: Component | None) -> AsyncIterator[None]:
    """The stack's own traffic is held meanwhile: it would blur the numbers."""
    running = traffic is not None and traffic.state is ComponentState.READY
    if running:
        await _told(layout, "stop")
        await asyncio.sleep(2)  # its last answers
    try:
        yield
    finally:
        if running:
            await _told(layout, "start")


async def _told(layout: Layout, op: str) -> None:
    answer = await ask(layout.supervisor_socket, SupervisorRequest(op=op, name="traffic"), timeout_seconds=30)
    if answer.error is not None:
        raise DemoError(f"the supervisor did not {op} the traffic: {answer.error}")
