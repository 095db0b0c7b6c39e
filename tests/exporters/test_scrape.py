"""One scrape: stages in order, one deadline, one scrape at a time."""

import asyncio
from collections.abc import Callable, Sequence

from exporters.collector import Collector, EnginePrompt, Point, Seen
from exporters.scrape import Scraper
from exporters.shard import WHOLE, Shard
from stack.engines.lmcache import TierHits
from stack.engines.vllm import PromptTokens
from stack.metrics import catalog
from stack.metrics.family import Label
from stack.model.target import Target
from stack.model.tier import Source
from tests.exporters.recorded import target


class Fake:
    """Reads one target; `order` collects the names of those that finished."""

    def __init__(
        self, stage: int, name: str, order: list[str], seen: Callable[[], Seen] = Seen, gate: asyncio.Event | None = None
    ) -> None:
        self._stage, self.name, self.order, self.seen, self.gate = stage, name, order, seen, gate
        self.listed = [name]

    @property
    def stage(self) -> int:
        return self._stage

    def targets(self) -> Sequence[str]:
        return self.listed

    async def read(self, target: str) -> Seen:
        if self.gate:
            await self.gate.wait()
        self.order.append(target)
        return self.seen()

    def unread(self, target: str) -> Sequence[Point]:
        return ()

    def forget(self, target: str) -> None:
        self.order.append(f"forget {target}")

    async def close(self) -> None:
        self.order.append(f"close {self.name}")


class Prompts(Fake):
    """Engines of which each had one prompt token."""

    def __init__(self, fleet: Sequence[Target]) -> None:
        super().__init__(0, "engines", [])
        self.fleet = {engine.replica: engine for engine in fleet}
        self.listed = list(self.fleet)

    async def read(self, target: str) -> Seen:
        return Seen(prompt=EnginePrompt(self.fleet[target], PromptTokens(1.0), None))


class OnNode(Fake):
    """Reads the machine it runs on."""

    on_this_node = True


def scraper(*fakes: Fake, fleet: Sequence[Target] = (), timeout_seconds: float = 1.0, shard: Shard = WHOLE) -> Scraper:
    collectors: dict[str, Collector] = {fake.name: fake for fake in fakes}
    return Scraper(collectors, tuple, lambda: fleet, timeout_seconds, "0.0.1", asyncio.get_running_loop().time, shard)


def success(points: Sequence[Point]) -> dict[str, float]:
    return {
        point.labels[Label.TARGET]: point.value
        for point in points
        if point.family is catalog.SCRAPE_COLLECTOR_SUCCESS and isinstance(point.value, float)
    }


async def test_lower_stages_are_read_first_whatever_their_order() -> None:
    order: list[str] = []
    await scraper(Fake(1, "lmcache", order), Fake(0, "engines", order)).scrape()
    assert order == ["engines", "lmcache"]


async def test_a_hung_target_leaves_time_for_the_stages_after_it() -> None:
    order: list[str] = []
    hung = Fake(0, "engines", order, gate=asyncio.Event())
    points = await scraper(hung, Fake(0, "store", order), Fake(1, "lmcache", order), timeout_seconds=0.05).scrape()
    assert success(points) == {"engines": 0.0, "store": 1.0, "lmcache": 1.0}


async def test_two_scrapers_at_once_share_one_reading() -> None:
    order: list[str] = []
    gate = asyncio.Event()
    shared = scraper(Fake(0, "engines", order, gate=gate))
    both = asyncio.gather(shared.scrape(), shared.scrape())
    await asyncio.sleep(0)
    gate.set()
    first, second = await both
    assert first is second
    assert order == ["engines"]


async def test_the_fleet_is_looked_at_once_a_scrape_and_not_while_one_runs() -> None:
    looked, gate = asyncio.Event(), asyncio.Event()
    looks: list[bool] = []

    def look() -> Sequence[Point]:
        looks.append(True)
        looked.set()
        return ()

    clock = asyncio.get_running_loop().time
    shared = Scraper({"engines": Fake(0, "engines", [], gate=gate)}, look, tuple, 1.0, "0.0.1", clock)
    both = asyncio.gather(shared.scrape(), shared.scrape())
    await looked.wait()
    gate.set()
    await both
    assert len(looks) == 1
    await shared.scrape()
    assert len(looks) == 2


async def test_a_scraper_that_leaves_does_not_end_the_scrape_of_another() -> None:
    order: list[str] = []
    gate = asyncio.Event()
    shared = scraper(Fake(0, "engines", order, gate=gate))
    leaver, stayer = asyncio.create_task(shared.scrape()), asyncio.create_task(shared.scrape())
    await asyncio.sleep(0)
    leaver.cancel()
    gate.set()
    assert success(await stayer) == {"engines": 1.0}


async def test_closing_ends_a_scrape_and_closes_every_collector() -> None:
    order: list[str] = []
    one = scraper(Fake(0, "engines", order, gate=asyncio.Event()), timeout_seconds=60)
    running = asyncio.create_task(one.scrape())
    await asyncio.sleep(0)
    await one.close()
    assert order == ["close engines"]
    assert (await asyncio.gather(running, return_exceptions=True))[0].__class__ is asyncio.CancelledError


async def test_the_waterfall_joins_engines_and_lmcache_by_the_models_root() -> None:
    engine = target("decode-0")
    totals = iter([PromptTokens(0.0, {Source.COMPUTED: 0.0}), PromptTokens(2000.0, {Source.COMPUTED: 208.0}, {}, 1792.0)])
    hits = iter([0.0, 1792.0])
    engines = Fake(0, "decode-0", [], lambda: Seen(prompt=EnginePrompt(engine, next(totals), 1.0)))
    lmcache = Fake(1, "lmcache", [], lambda: Seen(hits={engine.model_root: TierHits(1792.0, next(hits), 0.0)}))
    one = scraper(engines, lmcache, fleet=[engine])
    await one.scrape()
    points = [point for point in await one.scrape() if point.family is catalog.PROMPT_TOKENS]
    assert {point.labels[Label.SOURCE]: point.value for point in points if point.value} == {"computed": 208.0, "l1": 1792.0}
    assert {(point.labels[Label.MODEL_NAME], point.labels[Label.POOL], point.labels[Label.REPLICA]) for point in points} == {
        ("smollm2", "decode", "decode-0")
    }


async def test_a_target_that_is_gone_is_forgotten_once() -> None:
    order: list[str] = []
    fake = Fake(0, "engines", order)
    one = scraper(fake)
    fake.listed = ["a", "b"]
    await one.scrape()
    fake.listed = ["b"]
    for _ in range(2):
        await one.scrape()
    assert order == ["a", "b", "forget a", "b", "b"]


async def test_exporters_that_share_a_fleet_read_each_target_once_and_tell_its_tokens_once() -> None:
    fleet = [target(f"decode-{number}") for number in range(6)]
    told: list[list[str]] = []
    for index in range(2):
        points = await scraper(Prompts(fleet), fleet=fleet, shard=Shard(index, 2)).scrape()
        told.append(sorted({point.labels[Label.REPLICA] for point in points if point.family is catalog.PROMPT_TOKENS}))
        assert sorted(success(points)) == told[-1]
    assert sorted([*told[0], *told[1]]) == [engine.replica for engine in fleet]
    assert all(told)


async def test_what_reads_its_own_node_is_everyones() -> None:
    node = OnNode(0, "node", [])
    told = [success(await scraper(node, shard=Shard(index, 2)).scrape()) for index in range(2)]
    assert told == [{"node": 1.0}, {"node": 1.0}]


async def test_who_asks_with_less_patience_gets_the_rest_of_the_page_in_time() -> None:
    hung = Fake(0, "engines", [], gate=asyncio.Event())
    points = await scraper(hung, Fake(0, "store", []), timeout_seconds=60.0).scrape(0.05)
    assert success(points) == {"engines": 0.0, "store": 1.0}
