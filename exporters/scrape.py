"""One scrape: every collector's targets under one deadline, stage by stage, and the waterfall over what they saw."""

from __future__ import annotations

import asyncio
import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from exporters.collector import Collector, Point, on_this_node
from exporters.guard import Attempt, Guard
from exporters.place import NOWHERE, place, placed, places
from exporters.shard import WHOLE, Shard, unshared
from exporters.waterfall import Waterfall
from stack.metrics import catalog
from stack.metrics.family import Label
from stack.model.target import Target

# A stage may use this share of what is left, so that one hung target leaves time for the stages after it.
STAGE_SHARE = 0.6


class Scraper:
    """Reads everything anew when asked. Whoever asks while a scrape runs gets that one's points.

    `timeout_seconds` bounds one scrape; keep it below Prometheus' own scrape timeout. `look` is called before each, so that
    `fleet` and what collectors have to read do not change while one runs; it says how the lists of them are. `servers` are
    targets beside the engines of which is known where they run.
    """

    def __init__(
        self,
        collectors: Mapping[str, Collector],
        look: Callable[[], Iterable[Point]],
        fleet: Callable[[], Sequence[Target]],
        timeout_seconds: float,
        version: str,
        clock: Callable[[], float],
        shard: Shard = WHOLE,
        servers: Callable[[], Sequence[Target]] = tuple,
    ) -> None:
        self._collectors = collectors
        self._look = look
        self._fleet = fleet
        self._timeout_seconds = timeout_seconds
        self._version = version
        self._clock = clock
        self._shard = shard
        self._servers = servers
        self._guard = Guard(clock)
        self._waterfall = Waterfall()
        self._due: dict[str, list[str]] = {}
        self._running: asyncio.Task[list[Point]] | None = None

    async def scrape(self, patience_seconds: float = math.inf) -> list[Point]:
        """Every point of every family the exporter emits, as of now. Who asks first may have less patience than the setting."""
        if self._running is None:
            self._running = asyncio.create_task(self._scrape(min(self._timeout_seconds, patience_seconds)))
            self._running.add_done_callback(self._finished)
        return await asyncio.shield(self._running)  # a scraper that leaves must not cancel the others'

    async def close(self) -> None:
        """End a running scrape and close the collectors."""
        if self._running is not None:
            self._running.cancel()
            await asyncio.wait([self._running])
        for collector in self._collectors.values():
            await collector.close()

    def _finished(self, task: asyncio.Task[list[Point]]) -> None:
        self._running = None

    async def _scrape(self, seconds: float) -> list[Point]:
        lists = list(self._look())
        self._divide()
        end = self._clock() + seconds
        attempts: list[Attempt] = []
        stages = sorted({collector.stage for collector in self._collectors.values()})
        for stage in stages:
            left = end - self._clock()
            attempts += await self._run(stage, left if stage == stages[-1] else left * STAGE_SHARE)
        points = [Point(catalog.BUILD_INFO, {Label.VERSION: self._version}, 1.0), *lists]
        where = places([*self._servers(), *self._fleet()])
        for attempt in attempts:
            points += placed(attempt.points(), where.get(attempt.target, NOWHERE))
        points += _states(attempts, where)
        return points + list(self._prompt_tokens(attempts))

    def _divide(self) -> None:
        """Which targets each collector reads in this scrape; those that are gone are forgotten."""
        for name, collector in self._collectors.items():
            before, listed = self._due.get(name, ()), collector.targets()
            now = list(listed) if on_this_node(collector) else self._shard.mine(listed, self._fleet())
            for gone in set(before) - set(now):
                collector.forget(gone)
                self._guard.forget(name, gone)
            self._due[name] = now

    async def _run(self, stage: int, seconds: float) -> list[Attempt]:
        end = self._clock() + seconds
        due = [(name, target) for name, each in self._collectors.items() if each.stage == stage for target in self._due[name]]
        reads: list[asyncio.Task[Attempt]] = []
        async with asyncio.TaskGroup() as group:
            for name, target in due:
                left = end - self._clock()
                reads.append(group.create_task(self._guard.attempt(name, self._collectors[name], target, left)))
                await asyncio.sleep(0)  # hundreds begun at once would keep whoever asks for a page waiting
        return [read.result() for read in reads]

    def _prompt_tokens(self, attempts: Sequence[Attempt]) -> Iterator[Point]:
        seen = [(attempt.target, attempt.seen) for attempt in attempts if attempt.seen is not None]
        engines = {prompt.target.replica: prompt for _, one in seen if (prompt := one.prompt) is not None}
        others = self._shard.others(self._fleet())
        servers = {target: unshared(target, one.hits, others) for target, one in seen if one.hits is not None}
        listed = {target.replica for target in self._fleet()} - {target.replica for target in others}
        totals = self._waterfall.update(self._clock(), list(engines.values()), servers, listed.__contains__)
        for name, by_source in totals.items():
            target = engines[name].target
            labels = {Label.MODEL_NAME: target.model, Label.POOL: target.pool, Label.REPLICA: name, **place(target)}
            for source, tokens in by_source.items():
                yield Point(catalog.PROMPT_TOKENS, {**labels, Label.SOURCE: source}, tokens)


def _states(attempts: Sequence[Attempt], where: Mapping[str, Mapping[Label, str]]) -> Iterator[Point]:
    """How many targets have each quantity in each state, those of one place together."""
    told: defaultdict[tuple[tuple[Label, str], ...], Counter[tuple[str, str]]] = defaultdict(Counter)
    for attempt in attempts:
        if attempt.seen is not None:
            told[tuple(where.get(attempt.target, NOWHERE).items())].update(attempt.seen.quantities.items())
    for there, counted in sorted(told.items()):
        for (quantity, state), targets in sorted(counted.items()):
            yield Point(catalog.QUANTITY_STATE, {Label.QUANTITY: quantity, Label.STATE: state, **dict(there)}, float(targets))
