"""The running stack as the demo plays on it: ask through the router, read exporter and control, steer by control."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import TypeVar

import httpx
import msgspec

from stack.adapters.exposition import ExpositionError, fetch
from stack.api.client import ControlClient
from stack.control.state import ModelState
from stack.demo.error import DemoError
from stack.demo.reading import WANTED, Reading, readings, used_ratio
from stack.demo.whereabouts import Whereabouts
from stack.engines.samples import Samples
from stack.local.components.lmcache import L1_WATERMARK
from stack.model.tier import Tier
from stack.traffic.client import Client
from stack.traffic.request import Outcome, Request

T = TypeVar("T")

SESSION = "kvdeck-demo"
LOOK_SECONDS = 0.25
SEEN_SECONDS = 30.0
# An engine stores behind its answer, the server writes to the store behind that, and reports twice a second.
KEPT_SECONDS = 15.0
# LMCache looks once a second whether L1 is too full.
ROOM_SECONDS = 30.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """Everything the story needs of the running stack; `engines` are those that the exporter has to show."""

    client: Client
    http: httpx.AsyncClient
    exporter_url: str
    control: ControlClient
    whereabouts: Whereabouts
    engines: frozenset[str]
    model: str
    clock: Callable[[], float]
    sleep: Callable[[float], Awaitable[None]]

    async def ask(self, prompt: str) -> Outcome:
        """One streamed request of two tokens. Raises DemoError when it fails."""
        request = Request(kind="demo", max_tokens=2, prompt=prompt, session=SESSION)
        outcome, _ = await self.client.ask(request, self.clock())
        if outcome.failure is not None or outcome.engine is None:
            said = outcome.failure or "the router does not say which engine served it"
            raise DemoError(f"a request through the router failed ({said}): see `kvdeck status`")
        return outcome

    async def read(self) -> Mapping[str, Reading]:
        """What the exporter says of each engine, once it says something of all. Raises DemoError."""

        async def all_shown() -> Mapping[str, Reading] | None:
            shown = readings(await self._samples())
            return shown if self.engines <= shown.keys() else None

        return await self._first(all_shown, SEEN_SECONDS, f"the exporter does not show {', '.join(sorted(self.engines))}")

    async def read_after(self, engine: str, before: Mapping[str, Reading], tokens: int) -> Reading:
        """The exporter's reading of `engine` once it has seen `tokens` more prompt tokens. Raises DemoError."""
        if engine not in before:
            raise DemoError(f"{engine} answered, and is none of the stack's engines: {', '.join(sorted(before))}")

        async def grown() -> Reading | None:
            now = readings(await self._samples()).get(engine)
            return now if now and now.prompt_tokens >= before[engine].prompt_tokens + tokens else None

        return await self._first(grown, SEEN_SECONDS, f"the exporter did not see the request on {engine}")

    async def kept(self, prompt: str) -> bool:
        """Waits for L1 and L2 to hold all that they can of the prompt; False when they do not in time. Raises DemoError."""

        async def whole() -> bool:
            held = [self.whereabouts.held(tier, prompt) for tier in (Tier.L1, Tier.L2)]
            return all(one.tokens == one.whole for one in held)

        return bool(await self._within(whole, KEPT_SECONDS))

    def in_l1(self, prompt: str) -> bool:
        """L1 is known to hold the prompt's beginning. Raises DemoError."""
        return self.whereabouts.held(Tier.L1, prompt).tokens > 0

    async def room_in_l1(self) -> None:
        """Waits for L1 to have evicted what it wants to, where it tells: what comes from L2 comes through it. Raises DemoError."""

        async def eased() -> bool:
            ratio = used_ratio(await self._samples(), Tier.L1)
            return ratio is None or ratio < L1_WATERMARK

        await self._first(eased, ROOM_SECONDS, f"L1 stays more than {L1_WATERMARK:.0%} full")

    def desired(self) -> ModelState:
        """How the model is served now."""
        return self.control.state().desired.models[self.model]

    def steer(self, model: ModelState) -> None:
        """Serve the model so, and wait until every live router does. Raises DemoError, ControlError."""
        generation = self.control.state().generation
        patch = {"models": {self.model: msgspec.to_builtins(model)}}
        changed = self.control.change(patch, generation, comment="kvdeck demo")
        if changed.pending:
            raise DemoError(f"{', '.join(changed.pending)} does not apply the change: see `kvdeck status`")
        if changed.unheard:
            raise DemoError("no router reports to control: see `kvdeck status`")

    async def _samples(self) -> Samples:
        try:
            async with asyncio.timeout(10):
                return await fetch(self.http, f"{self.exporter_url}/metrics", WANTED)
        except (httpx.HTTPError, ExpositionError, TimeoutError) as error:
            raise DemoError(f"the exporter at {self.exporter_url} cannot be read: {type(error).__name__}") from error

    async def _first(self, look: Callable[[], Awaitable[T | None]], seconds: float, otherwise: str) -> T:
        found = await self._within(look, seconds)
        if not found:
            raise DemoError(f"{otherwise} within {seconds:.0f} s: see `kvdeck status`")
        return found

    async def _within(self, look: Callable[[], Awaitable[T | None]], seconds: float) -> T | None:
        """What `look` finds first that is true; None when `seconds` pass before."""
        deadline = self.clock() + seconds
        while not (found := await look()):
            if self.clock() > deadline:
                return None
            await self.sleep(LOOK_SECONDS)
        return found
