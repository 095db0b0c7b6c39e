"""A whole control and a whole router over fake engines: experiments end by themselves, by what requests really took."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from stack.control.link import RouterConfig
from stack.model.tier import Pool
from stack.router.recording import record_of
from tests.stack.api.deck import Deck, Router, deck
from tests.stack.router.bench import RouterBench, fleet
from tests.stack.router.fakes import FakeEngine
from tests.stack.router.waiting import until

pytestmark = pytest.mark.e2e

TOGETHER = 8


@dataclass
class Whole:
    """`asked` requests have gone through the router; control has the records of all of them."""

    deck: Deck
    link: Router
    bench: RouterBench
    asked: int = 0

    async def begin(self, **proposal: Any) -> str:
        answer = await self.deck.http.post("/v1/experiments", json=proposal, headers={"If-Match": "1"})
        assert answer.status_code in (200, 202), answer.text
        await self.follow()
        return str(answer.json()["experiment"]["id"])

    async def follow(self) -> RouterConfig:
        """What a router's steering does, when it is time."""
        config = await self.link.fetch() or self.link.config
        assert config is not None
        self.bench.router.configuration.apply(config)
        await self.link.report()
        return config

    async def ask(self, count: int) -> None:
        """Streams, some at a time; then control hears of them and looks."""
        for _ in range(count // TOGETHER):
            answers = await asyncio.gather(*(self.bench.stream(f"question {self.asked + n}") for n in range(TOGETHER)))
            assert {answer.status_code for answer, _ in answers} == {200}
            self.asked += TOGETHER
        records = self.bench.router.records
        await until(lambda: len(records) == count)
        batch = records.batch(count)
        records.acknowledge(batch)
        await self.link.report(*map(record_of, batch.errands))
        self.deck.clock.advance(1.0)
        await self.deck.control.judging.look()

    async def ended(self, name: str) -> Any:
        return (await self.deck.http.get(f"/v1/experiments/{name}")).json()


@asynccontextmanager
async def whole(folder: Path) -> AsyncIterator[Whole]:
    engines = FakeEngine("prefill-0", Pool.PREFILL), FakeEngine("decode-0"), FakeEngine("decode-1")
    (folder / "router").mkdir()
    async with deck(folder, experiments=True) as it, fleet(folder / "router", *engines) as bench:
        made = Whole(it, it.router(), bench)
        await made.follow()
        yield made


async def test_a_worse_candidate_is_rolled_back_while_requests_go_on(tmp_path: Path) -> None:
    """Two legs for every prompt, where one engine answers at once."""
    async with whole(tmp_path) as it:
        name = await it.begin(candidate={"dpd": {"routing_threshold": 0}}, share=0.5, samples=1_000)
        while (view := await it.ended(name))["experiment"]["stage"] == "running":
            await it.ask(40)
        assert view["experiment"]["stage"] == "rolled_back"
        assert it.asked < 500
        config = await it.follow()
        assert (config.generation, config.experiments) == (1, {})
        assert it.bench.router.configuration.current.experiments == ()


async def test_an_equal_candidate_is_not_promoted(tmp_path: Path) -> None:
    async with whole(tmp_path) as it:
        name = await it.begin(candidate={"shadow_share": 0.0}, share=0.5, samples=200, error=0.001)
        for _ in range(5):
            await it.ask(40)
        view = await it.ended(name)
        assert (view["experiment"]["stage"], view["control"]["sessions"] + view["candidate"]["sessions"]) == ("stopped", 200)
        assert it.deck.control.board.generation == 1
