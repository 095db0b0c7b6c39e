"""The five steps, on a fleet whose caches are three lists."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import pytest

from stack.control.state import ModelState, Pools, PoolState
from stack.demo.error import DemoError
from stack.demo.reading import Reading
from stack.demo.story import COLD_TRIES, Step, Story, past_engine, requests
from stack.model.tier import Source
from stack.traffic.request import Outcome

TOKENS = 2_000
NOW = ModelState(pools=Pools(prefill=PoolState(replicas=1), decode=PoolState(replicas=2)))


@dataclass
class Caches:
    """A decode engine of two prompts before an L1 of `l1_prompts` before an endless L2; every answer takes a second.

    The first `deaf` prompts are taken in by no tier. `path` is what answers say in any case. `eased` tells before which requests
    L1 had to have room.
    """

    holds_in_l2: bool = True
    deaf: int = 0
    l1_prompts: int = 5
    steered: list[ModelState] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)
    eased: list[int] = field(default_factory=list)
    path: str | None = None
    engine: list[str] = field(default_factory=list)
    l1: list[str] = field(default_factory=list)
    l2: set[str] = field(default_factory=set)
    totals: dict[Source, float] = field(default_factory=lambda: dict.fromkeys(Source, 0.0))

    async def ask(self, prompt: str) -> Outcome:
        self.asked.append(prompt)
        self.totals[self._source(prompt)] += TOKENS
        self.engine = [*(held for held in self.engine if held != prompt), prompt][-2:]
        if len(self.asked) > self.deaf:
            self.l1 = (self.l1 if prompt in self.l1 else [*self.l1, prompt])[-self.l1_prompts :]
            if self.holds_in_l2:
                self.l2.add(prompt)
        path = self.path or ("dpd" if self.steered[-1].dpd.enabled else "direct")
        return Outcome(
            kind="demo", started=0, status=200, first_token_seconds=1.0, prompt_tokens=TOKENS, engine="decode-0", path=path
        )

    async def read(self) -> Mapping[str, Reading]:
        return {"decode-0": Reading(dict(self.totals), self.totals[Source.PEER] * 46_080)}

    async def read_after(self, engine: str, before: Mapping[str, Reading], tokens: int) -> Reading:
        return (await self.read())[engine]

    async def kept(self, prompt: str) -> bool:
        return prompt in self.l1

    def in_l1(self, prompt: str) -> bool:
        return prompt in self.l1

    async def room_in_l1(self) -> None:
        self.eased.append(len(self.asked))

    def steer(self, model: ModelState) -> None:
        self.steered.append(model)

    def _source(self, prompt: str) -> Source:
        if prompt in self.engine:
            return Source.ENGINE
        if self.steered[-1].dpd.enabled:
            return Source.PEER
        return Source.L1 if prompt in self.l1 else Source.L2 if prompt in self.l2 else Source.COMPUTED


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
    assert {step.step: (step.proven, step.sources) for step in steps}["after L1 evicted it"] == (False, {Source.COMPUTED: TOKENS})


async def test_l1_has_room_before_the_first_prompt_and_before_what_comes_from_l2() -> None:
    caches = Caches()
    await told(caches)
    again = [number for number, prompt in enumerate(caches.asked) if prompt == "demo-0"]
    assert caches.eased == [0, again[3]]


async def test_what_took_the_wrong_path_is_not_proven() -> None:
    assert [step.proven for step in await told(Caches(path="direct"))] == [True] * 4 + [False]


async def test_the_prompt_is_one_that_the_tiers_took_in() -> None:
    caches = Caches(deaf=2)
    steps = await told(caches)
    assert all(step.proven for step in steps)
    assert caches.asked[:4] == ["demo-0", "demo-1", "demo-2", "demo-2"]


async def test_tiers_that_take_nothing_in_end_the_demo() -> None:
    with pytest.raises(DemoError, match=f"did not take in any of {COLD_TRIES} prompts"):
        await told(Caches(deaf=100))


@pytest.mark.parametrize("l1_prompts", [4, 9])
async def test_l1_is_asked_for_other_prompts_until_it_lost_this_one(l1_prompts: int) -> None:
    caches = Caches(l1_prompts=l1_prompts)
    assert all(step.proven for step in await told(caches))
    assert sum(prompt.startswith("past-l1") for prompt in caches.asked) == max(0, l1_prompts - 6)


async def test_an_l1_that_never_loses_the_prompt_ends_the_demo() -> None:
    with pytest.raises(DemoError, match=r"L1 still holds the prompt .*larger ones it does not"):
        await told(Caches(l1_prompts=100))


async def test_without_a_prefill_engine_there_is_no_dpd_step() -> None:
    assert [step.step for step in await told(Caches(), ModelState())][-1] == "after L1 evicted it"


@pytest.mark.parametrize(("tokens", "engine", "all_requests"), [(600, 8, 38), (1_000, 5, 25), (2_000, 3, 16), (2_500, 2, 13)])
def test_shorter_prompts_take_more_others_to_be_evicted(tokens: int, engine: int, all_requests: int) -> None:
    assert (past_engine(tokens), requests(tokens)) == (engine, all_requests)
