"""The five steps: cold, from the engine, from L1, from L2, over DPD."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass
from math import ceil
from typing import Protocol

import msgspec

from stack.control.state import Dpd, ModelState
from stack.demo.error import DemoError
from stack.demo.reading import Reading
from stack.metrics import catalog
from stack.model.tier import Path, Source
from stack.traffic.request import Outcome

# What pushes a prompt out of a tier of the one-machine stack, in tokens of other prompts. An engine holds 4,736 tokens.
# L1 holds 11,650, evicts 30 % of its oldest chunks when it is 80 % full, and must still have the prompt after the engine
# lost it: with prompts of up to 2,500 tokens it keeps 64 % of one at the least, whatever it held before.
PAST_ENGINE_TOKENS = 4_800
PAST_L1_TOKENS = 10_000  # about: it evicts when it sees fit
PAST_L1_MOST_TOKENS = 32_000
# So often a new prompt is taken when the tiers do not take one in: right after its server was restarted, for one.
COLD_TRIES = 4


def past_engine(tokens: int) -> int:
    """How many other prompts of `tokens` tokens the engine evicts a prompt for."""
    return ceil(PAST_ENGINE_TOKENS / tokens)


def requests(tokens: int) -> int:
    """How many requests a whole demo asks, about."""
    return 5 + 2 * past_engine(tokens) + ceil(PAST_L1_TOKENS / tokens)


class Scene(Protocol):
    """What the story needs of a stack; `Stage` is the real one."""

    async def ask(self, prompt: str) -> Outcome: ...

    async def read(self) -> Mapping[str, Reading]: ...

    async def read_after(self, engine: str, before: Mapping[str, Reading], tokens: int) -> Reading: ...

    async def kept(self, prompt: str) -> bool: ...

    def in_l1(self, prompt: str) -> bool: ...

    async def room_in_l1(self) -> None: ...

    def steer(self, model: ModelState) -> None: ...


class Step(msgspec.Struct, frozen=True, kw_only=True):
    """One step as it was seen. `proven` means that at least half of the prompt came from `source`, by `proof`."""

    step: str
    source: Source
    path: str
    engine: str
    prompt_tokens: int
    ttft_seconds: float
    tokens_from_source: int
    sources: dict[Source, int]  # where all of its tokens came from
    transferred_bytes: int
    proof: str
    proven: bool


class Played(msgspec.Struct, frozen=True, kw_only=True):
    """A whole demo: its steps, the addresses of the stack's parts, and whether its times are measured or a model's."""

    steps: tuple[Step, ...]
    urls: dict[str, str]
    emulated: bool


@dataclass(frozen=True, slots=True)
class Story:
    """`prompt_of` makes a fresh prompt of about `tokens` tokens from a word; `on_request` is told of every request."""

    stage: Scene
    tokens: int
    prompt_of: Callable[[str], str]
    on_request: Callable[[], None]

    async def steps(self, now: ModelState) -> AsyncIterator[Step]:
        """Each step as it is done. Steers the model; the caller puts `now` back."""
        direct = msgspec.structs.replace(now, strategy="session", dpd=Dpd(enabled=False, routing_threshold=4096))
        self.stage.steer(direct)
        prompt, cold = await self._cold()
        yield cold
        yield await self._step("again", Source.ENGINE, prompt)
        await self._others("past-engine", past_engine(self.tokens))
        yield await self._step("after the engine evicted it", Source.L1, prompt)
        await self._past_l1(prompt)
        yield await self._step("after L1 evicted it", Source.L2, prompt)
        if now.pools.prefill.replicas:
            await self._others("past-engine-again", past_engine(self.tokens))
            self.stage.steer(msgspec.structs.replace(direct, dpd=Dpd(enabled=True, routing_threshold=512)))
            yield await self._step("over DPD", Source.PEER, prompt)

    async def _cold(self) -> tuple[str, Step]:
        """A prompt that was computed and that both tiers took in; what they did not take in they cannot give."""
        await self.stage.room_in_l1()
        for number in range(COLD_TRIES):
            prompt = self.prompt_of(f"demo-{number}")
            step = await self._step("cold", Source.COMPUTED, prompt)
            if await self.stage.kept(prompt):
                return prompt, step
        raise DemoError(f"L1 or L2 did not take in any of {COLD_TRIES} prompts: see `kvdeck status`, and LMCache's log")

    async def _others(self, series: str, count: int) -> None:
        for number in range(count):
            await self.stage.ask(self.prompt_of(f"{series}-{number}"))
            self.on_request()

    async def _past_l1(self, prompt: str) -> None:
        """Others until L1 lost the prompt: it evicts when it sees fit. The engine, which has it again, has to lose it, too."""
        await self._others("past-engine-and-l1", past_engine(self.tokens))
        for number in range(ceil(PAST_L1_MOST_TOKENS / self.tokens)):
            if not self.stage.in_l1(prompt):
                return await self.stage.room_in_l1()
            await self._others(f"past-l1-{number}", 1)
        raise DemoError(
            f"L1 still holds the prompt after {PAST_L1_MOST_TOKENS:,} tokens of others: the demo fills tiers as `kvdeck up` "
            "without --profile makes them, larger ones it does not; if these are no larger, see LMCache's log"
        )

    async def _step(self, title: str, source: Source, prompt: str) -> Step:
        before = await self.stage.read()
        outcome = await self.stage.ask(prompt)
        self.on_request()
        engine, tokens = outcome.engine or "", outcome.prompt_tokens or 0
        after = await self.stage.read_after(engine, before, tokens)
        sources = {one: int(after.sources[one] - before[engine].sources[one]) for one in Source}
        received = int(after.transferred_bytes - before[engine].transferred_bytes)
        return Step(
            step=title,
            source=source,
            path=outcome.path or "",
            engine=engine,
            prompt_tokens=tokens,
            ttft_seconds=outcome.first_token_seconds or 0.0,
            tokens_from_source=sources[source],
            sources={one: count for one, count in sources.items() if count},
            transferred_bytes=received,
            proof=_proof(engine, source, sources[source], tokens, received),
            proven=2 * sources[source] >= tokens > 0 and (outcome.path == Path.DPD) == (source is Source.PEER),
        )


def _proof(engine: str, source: Source, gained: int, tokens: int, received: int) -> str:
    said = f'{catalog.PROMPT_TOKENS.name}{{replica="{engine}",source="{source}"}} +{gained} of {tokens}'
    if source is Source.PEER:
        said += f"; {catalog.KV_TRANSFER_BYTES.name} +{received / 1e6:.1f} MB"
    return said
