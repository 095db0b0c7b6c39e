"""The running stack as the demo plays on it: ask through the router, read the exporter, steer by control."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import httpx
import msgspec

from stack.adapters.exposition import ExpositionError, fetch
from stack.api.client import ControlClient
from stack.control.state import ModelState
from stack.engines.samples import Samples
from stack.metrics import catalog
from stack.metrics.family import Label
from stack.model.tier import Source
from stack.traffic.client import Client
from stack.traffic.request import Outcome, Request

SESSION = "kvdeck-demo"
SEEN_SECONDS = 15.0
_WANTED = frozenset({catalog.PROMPT_TOKENS.name, catalog.KV_TRANSFER_BYTES.name})


class DemoError(RuntimeError):
    """The demo cannot go on; the message says why and what to do."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What the exporter says of one engine: prompt tokens by source, and KV bytes it received."""

    sources: Mapping[Source, float]
    transferred_bytes: float

    @property
    def prompt_tokens(self) -> float:
        return sum(self.sources.values())


@dataclass(frozen=True, slots=True)
class Stage:
    """Everything the story needs of the running stack."""

    client: Client
    http: httpx.AsyncClient
    exporter_url: str
    control: ControlClient
    model: str
    clock: Callable[[], float]

    async def ask(self, prompt: str) -> Outcome:
        """One streamed request of two tokens. Raises DemoError when it fails."""
        request = Request(kind="demo", max_tokens=2, prompt=prompt, session=SESSION)
        outcome, _ = await self.client.ask(request, self.clock())
        if outcome.failure is not None or outcome.engine is None:
            said = outcome.failure or "the router does not say which engine served it"
            raise DemoError(f"a request through the router failed ({said}): see `kvdeck status`")
        return outcome

    async def read(self, engine: str) -> Reading:
        """What the exporter says of `engine` now. Raises DemoError."""
        try:
            async with asyncio.timeout(10):
                samples = await fetch(self.http, f"{self.exporter_url}/metrics", _WANTED)
        except (httpx.HTTPError, ExpositionError, TimeoutError) as error:
            raise DemoError(f"the exporter at {self.exporter_url} cannot be read: {type(error).__name__}") from error
        own = Samples(sample for sample in samples if sample.labels.get(Label.REPLICA) == engine)
        by_source = own.by(Label.SOURCE, catalog.PROMPT_TOKENS.name)
        received = own.total(catalog.KV_TRANSFER_BYTES.name) or 0.0
        return Reading({source: by_source.get(source.value, 0.0) for source in Source}, received)

    async def read_after(self, engine: str, before: Reading, tokens: int) -> Reading:
        """The exporter's reading once it has seen `tokens` more prompt tokens. Raises DemoError."""
        deadline = self.clock() + SEEN_SECONDS
        while (reading := await self.read(engine)).prompt_tokens < before.prompt_tokens + tokens:
            if self.clock() > deadline:
                raise DemoError(f"the exporter did not see the request on {engine} within {SEEN_SECONDS:.0f} s")
            await asyncio.sleep(0.25)
        return reading

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
