"""When the fleet changes, whatever remembers engines follows."""

from collections.abc import Iterable

from prometheus_client import CollectorRegistry, generate_latest

from stack.adapters.probe import Pulse
from stack.cache.sent import SentPrefixes
from stack.fleet.machine import ProbeFailed, ProbeSucceeded, TargetsChanged, step
from stack.fleet.snapshot import Fleet
from stack.model.target import Target
from stack.model.tier import Pool
from stack.router.fleet_keeper import FleetKeeper
from stack.router.housekeeping import Housekeeping
from stack.router.in_flight import InFlight
from stack.router.meters import Meters
from stack.router.model_list import ModelList
from stack.router.settings import RouterSettings
from stack.router.upstream import Upstream

TARGET = Target(replica="a", url="http://127.0.0.1:9", pool=Pool.DECODE, model="m", model_root="/m")


class Watching:
    def __init__(self) -> None:
        self.seen: list[list[str]] = []

    def watch(self, targets: Iterable[Target]) -> None:
        self.seen.append([target.replica for target in targets])


class Bench:
    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self.sent, self.watching = SentPrefixes(), Watching()
        upstream, settings = Upstream(), RouterSettings()
        keeper = FleetKeeper(settings, InFlight(), self._probe)
        models = ModelList(keeper, upstream, settings)
        self.housekeeping = Housekeeping(self.sent, Meters(self.registry), upstream, models)
        self.housekeeping.watchers.append(self.watching)
        self.fleet = Fleet.of(())

    async def _probe(self, url: str, deadline_seconds: float) -> Pulse:
        return Pulse.WELL

    def step(self, *events: TargetsChanged | ProbeSucceeded | ProbeFailed) -> None:
        for event in events:
            after = step(self.fleet, event)
            self.housekeeping.fleet_changed(self.fleet, after)
            self.fleet = after

    def remembered(self) -> set[str]:
        """Engines that are believed to hold what they were sent."""
        return {engine for _, engines in self.sent.recall([1, 2], 0.0).runs for engine in engines}

    def exposition(self) -> str:
        return generate_latest(self.registry).decode()


def test_event_subscriptions_follow_the_targets_and_nothing_else() -> None:
    bench = Bench()
    bench.step(TargetsChanged((TARGET,)), ProbeSucceeded("a"), ProbeFailed("a", "refused"), TargetsChanged(()))
    assert bench.watching.seen == [["a"], []]


def test_what_an_engine_held_is_forgotten_when_it_is_lost_and_not_when_it_stumbles() -> None:
    bench = Bench()
    bench.sent.learn("a", [1, 2], 0.0)
    bench.step(TargetsChanged((TARGET,)), ProbeSucceeded("a"), ProbeFailed("a", "silent"))
    assert bench.remembered() == {"a"}
    bench.step(ProbeFailed("a", "silent"))
    assert bench.remembered() == set()


def test_what_an_engine_held_is_forgotten_when_it_drops_its_cache() -> None:
    bench = Bench()
    bench.sent.learn("a", [1, 2], 0.0)
    bench.housekeeping.cache_lost(TARGET)
    assert bench.remembered() == set()


def test_series_of_an_engine_end_with_it() -> None:
    bench = Bench()
    bench.step(TargetsChanged((TARGET,)))
    bench.housekeeping.evicted(TARGET, 3)
    bench.housekeeping.gap(TARGET, recovered=False)
    bench.housekeeping.gap(TARGET, recovered=True)
    text = bench.exposition()
    assert 'kvdeck_cache_evicted_blocks_total{backend="a",model_name="m",pool="decode"} 3.0' in text
    assert 'kvdeck_router_kv_event_gaps_total{backend="a",model_name="m",state="lost"} 1.0' in text
    bench.step(TargetsChanged(()))
    assert 'backend="a"' not in bench.exposition()
