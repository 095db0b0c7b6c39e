"""The five steps, on a fleet whose caches are three lists."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from stack.control.state import ModelState, Pools, PoolState
from stack.demo.stage import Reading
from stack.demo.story import Step, Story, past_engine, past_l1, requests
from stack.model.tier import Source
from stack.traffic.request import Outcome

TOKENS = 2_000
NOW = ModelState(pools=Pools(prefill=PoolState(replicas=1), decode=PoolState(replicas=2)))


@dataclass
class Caches:
    """A decode engine of two prompts before an L1 of five before an endless L2; every answer takes a second."""

    holds_in_l2: bool = True
    steered: list[ModelState] = field(default_factory=list)
    engine: list[str] = field(default_factory=list)
    l1: list[str] = field(default_factory=list)
    l2: set[str] = field(default_factory=set)
    totals: dict[Source, float] = field(default_factory=lambda: dict.fromkeys(Source, 0.0))

    async def ask(self, prompt: str) -> Outcome:
        if prompt == "Hello":
            return self._outcome(1)
        self.totals[self._source(prompt)] += TOKENS
        self.engine = [*(held for held in self.engine if held != prompt), prompt][-2:]
        self.l1 = self.l1 if prompt in self.l1 else [*self.l1, prompt][-5:]
        if self.holds_in_l2:
            self.l2.add(prompt)
        return self._outcome(TOKENS)

    async def read(self, engine: str) -> Reading:
        return Reading(dict(self.totals), self.totals[Source.PEER] * 46_080)

    async def read_after(self, engine: str, before: Reading, tokens: int) -> Reading:
        return await self.read(engine)

    def steer(self, model: ModelState) -> None:
        self.steered.append(model)

    def _source(self, prompt: str) -> Source:
        if prompt in self.engine:
            return Source.ENGINE
        if self.steered[-1].dpd.enabled:
            return Source.PEER
        return Source.L1 if prompt in self.l1 else Source.L2 if prompt in self.l2 else Source.COMPUTED

    def _outcome(self, tokens: int) -> Outcome:
        path = "dpd" if self.steered[-1].dpd.enabled and tokens >= 512 else "direct"
        return Outcome(
            kind="demo", started=0, status=200, first_token_seconds=1.0, prompt_tokens=tokens, engine="decode-0", path=path
        )


async def told(caches: Caches, now: ModelState = NOW) -> list[Step]:
    return [step async for step in Story(caches, TOKENS, lambda word: word, lambda: None).steps(now)]


async def test_each_step_is_proven_by_the_source_it_is_about() -> None:
    steps = await told(Caches())
    assert [(step.step, step.source, step.tokens_from_source, step.proven) for step in steps] == [
        ("cold", Source.COMPUTED, TOKENS, True),
        ("again", Source.ENGINE, TOKENS, True),
        ("after the engine evicted it", Source.L1, TOKENS, True),
        ("after L1 evicted it", Source.L2, TOKENS, True),
        ("over DPD", Source.PEER, TOKENS, True),
    ]
    assert steps[-1].proof == (
        'kvdeck_prompt_tokens_total{replica="decode-0",source="peer"} +2000 of 2000; kvdeck_kv_transfer_bytes_total +92.2 MB'
    )


async def test_a_tier_that_does_not_hold_is_not_claimed() -> None:
    steps = await told(Caches(holds_in_l2=False))
    assert {step.step: step.proven for step in steps}["after L1 evicted it"] is False


async def test_without_a_prefill_engine_there_is_no_dpd_step() -> None:
    assert [step.step for step in await told(Caches(), ModelState())][-1] == "after L1 evicted it"


@pytest.mark.parametrize(("tokens", "engine", "l1"), [(600, 8, 27), (1_000, 5, 16), (2_000, 3, 8), (3_000, 2, 6)])
def test_shorter_prompts_take_more_others_to_be_evicted(tokens: int, engine: int, l1: int) -> None:
    assert (past_engine(tokens), past_l1(tokens), requests(tokens)) == (engine, l1, 5 + 2 * engine + l1)
