"""A router follows control while it is there, and goes on without it."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import msgspec

from stack.adapters.control_link import ControlUnavailableError, ReportRefusedError
from stack.adapters.probe import Pulse
from stack.cache.index import BlockIndex
from stack.control.deliveries import Deliveries
from stack.control.link import RefusedConfig, RouterConfig, RouterReport
from stack.control.skew import Received, received
from stack.control.state import SCHEMA, ModelState
from stack.fleet.engine import Health
from stack.model.target import Target
from stack.model.tier import Pool
from stack.router.applied import Configuration
from stack.router.fleet_keeper import FleetKeeper
from stack.router.identity import Identity
from stack.router.in_flight import InFlight
from stack.router.knowing import Knowing
from stack.router.limit import Limits
from stack.router.records import RecordBuffer
from stack.router.settings import RouterSettings
from stack.router.shelf import StrategyShelf
from stack.router.stalls import Stalls
from stack.router.steering import Steering
from stack.strategies.base import create, names
from tests.stack.router.errands import errand
from tests.stack.router.test_knowing import Tokens
from tests.stack.router.waiting import until

SETTINGS = RouterSettings(control_retry_s=0.001, report_interval_s=0.001, records_per_report=2)


class FakeControl:
    """Control as a router sees it: `offered` is its configuration, `away` makes every call fail, `late` answers no report.

    It refuses reports with a decision that is named in `refused`.
    """

    def __init__(self) -> None:
        self.away = self.late = False
        self.refused: frozenset[str] = frozenset()
        self.offered: RouterConfig | None = None
        self.newer: bytes | None = None
        self.asked: list[int] = []
        self.reports: list[RouterReport] = []
        self.reported = asyncio.Event()

    async def config(self, version: int, wait_seconds: float) -> Received | None:
        self.asked.append(version)
        await asyncio.sleep(0.001)
        if self.away:
            raise ControlUnavailableError("away")
        if self.newer is not None:
            body, self.newer = self.newer, None
            return received(body)
        return Received(self.offered) if self.offered is not None and self.offered.version != version else None

    async def report(self, report: RouterReport) -> None:
        await asyncio.sleep(0)
        if self.away:
            raise ControlUnavailableError("away")
        if self.refused.intersection(_told([report])):
            raise ReportRefusedError("control answered 400")
        self.reports.append(report)
        self.reported.set()
        if self.late:
            raise ControlUnavailableError("late")

    async def until(self, generation: int) -> RouterReport:
        """The first report of that generation."""
        async with asyncio.timeout(60):
            while True:
                for report in self.reports:
                    if report.generation == generation:
                        return report
                self.reported.clear()
                await self.reported.wait()


class Bench:
    """A router's half of the line."""

    def __init__(self) -> None:
        self.control = FakeControl()
        self.records = RecordBuffer(kept=100)
        self.now = 1000.0
        self.in_flight = InFlight(lambda: self.now)
        self.keeper = FleetKeeper(RouterSettings(probe_interval_s=60.0), self.in_flight, self._probe)
        self.configuration = Configuration(
            StrategyShelf(names(), create), lambda applied: self.keeper.drain(applied.draining), clock=lambda: self.now
        )
        self.stalls = Stalls(self.in_flight, SETTINGS, lambda: self.now)
        self.failed: list[str] = []
        self.steering = Steering(
            "router-0", "life", self.control, self.configuration, self.keeper, self.in_flight, self.records, [self.stalls.account],
            Knowing(Tokens(), BlockIndex()), SETTINGS, self.failed.append,
        )  # fmt: skip

    async def _probe(self, url: str, deadline_seconds: float) -> Pulse:
        return Pulse.WELL

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        task = asyncio.create_task(self.steering.run())
        try:
            yield
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            await self.keeper.close()


def _told(reports: Sequence[RouterReport]) -> list[str]:
    return [record.request_id for report in reports for record in report.decisions if record is not None]


def _config(version: int, strategy: str = "session", draining: tuple[str, ...] = ()) -> RouterConfig:
    return RouterConfig(version=version, generation=version, models={"m": ModelState(strategy=strategy)}, draining=draining)


async def test_a_new_configuration_is_applied_and_acknowledged() -> None:
    bench = Bench()
    bench.keeper.retarget([Target(replica="d", url="http://d", pool=Pool.DECODE, model="m", model_root="/m")])
    async with bench.running():
        bench.control.offered = _config(1, draining=("d",))
        report = await bench.control.until(1)
    assert (report.id, report.version) == ("router-0", 1)
    assert [(engine.name, engine.in_flight) for engine in report.engines] == [("d", 0)]
    assert bench.configuration.current.models["m"].strategies.decode.name == "session"
    assert bench.keeper.fleet.members["d"].engine.draining


async def test_control_going_away_changes_nothing_and_coming_back_renumbered_is_followed() -> None:
    bench = Bench()
    async with bench.running():
        bench.control.offered = _config(7)
        await bench.control.until(7)
        bench.control.away = True
        asked = len(bench.control.asked)
        await until(lambda: len(bench.control.asked) >= asked + 3)
        bench.now += 3600.0
        assert (bench.configuration.current.generation, bench.configuration.age_seconds) == (7, 3600.0)
        bench.control.offered = _config(2, strategy="round_robin")
        bench.control.away = False
        await bench.control.until(2)
        assert bench.configuration.age_seconds == 0.0
    assert bench.configuration.current.models["m"].strategies.decode.name == "round_robin"


async def test_a_configuration_with_an_unknown_strategy_is_not_acknowledged() -> None:
    bench = Bench()
    async with bench.running():
        bench.control.offered = _config(1)
        await bench.control.until(1)
        bench.control.offered = _config(2, strategy="magic")
        await until(lambda: any(report.refused for report in bench.control.reports))
        bench.now += 60.0
        reported = len(bench.control.reports)
        await until(lambda: len(bench.control.reports) > reported + 1)
    assert (bench.configuration.current.generation, bench.configuration.age_seconds) == (1, 60.0)

    (report,) = [report for report in bench.control.reports if report.refused is not None][-1:]
    assert (report.version, report.refused) == (
        1,
        RefusedConfig(
            version=2,
            generation=2,
            reason="unknown strategy 'magic'; known: kv_aware, prefix_aware, round_robin, session",
        ),
    )


async def test_a_session_key_of_a_newer_release_ends_no_router() -> None:
    bench = Bench()
    async with bench.running():
        odd = ModelState(strategy="session", session_keys=("query:session",))
        bench.control.offered = RouterConfig(version=1, generation=1, models={"m": odd})
        await until(lambda: any(report.refused for report in bench.control.reports))
        bench.control.offered = _config(2)
        report = await bench.control.until(2)
    assert report.refused is None


async def test_a_newer_controls_document_is_applied_as_far_as_it_is_known_and_the_rest_is_told() -> None:
    bench = Bench()
    newer = msgspec.to_builtins(_config(5)) | {"schema": SCHEMA + 1, "weather": "fine"}
    newer["models"]["m"]["pools"]["decode"]["colour"] = "blue"
    async with bench.running():
        bench.control.newer = msgspec.json.encode(newer)
        report = await bench.control.until(5)
    assert report.ignored == ("weather", "models.m.pools.decode.colour")
    assert bench.configuration.current.models["m"].strategies.decode.name == "session"


async def test_a_document_that_requires_a_newer_router_is_refused_whole_and_the_next_one_is_followed() -> None:
    bench = Bench()
    async with bench.running():
        bench.control.offered = _config(1)
        await bench.control.until(1)
        bench.control.offered = None
        bench.control.newer = msgspec.json.encode(RouterConfig(version=2, generation=2, models={}, requires=SCHEMA + 1))
        await until(lambda: any(report.refused for report in bench.control.reports))
        assert bench.control.asked[-1] == 2
        bench.control.offered = _config(3, strategy="round_robin")
        report = await bench.control.until(3)
    (refusal,) = {report.refused.reason for report in bench.control.reports if report.refused is not None}
    assert refusal == f"it takes a router of schema {SCHEMA + 1} or later, this one's is {SCHEMA}"
    assert report.refused is None


async def test_decisions_reach_control_once_each_even_when_it_was_away() -> None:
    bench = Bench()
    bench.control.away = True
    for number in range(5):
        bench.records.add(errand(identity=Identity.named(str(number))))
    async with bench.running():
        await until(lambda: len(bench.control.asked) >= 3)
        bench.control.away = False
        await until(lambda: len(bench.records) == 0)
    assert _told(bench.control.reports) == ["0", "1", "2", "3", "4"]


async def test_reports_that_came_without_an_answer_are_sent_again_with_the_same_numbers() -> None:
    bench, deliveries = Bench(), Deliveries()
    bench.control.late = True
    for number in range(3):
        bench.records.add(errand(identity=Identity.named(str(number))))
    async with bench.running():
        await until(lambda: len(bench.control.reports) >= 3)
        bench.records.add(errand(identity=Identity.named("3")))
        bench.control.late = False
        await until(lambda: len(bench.records) == 0)
    reports = bench.control.reports
    assert _told(reports)[:6] == ["0", "1"] * 3
    assert [(report.life, report.first) for report in reports if report.decisions][-2:] == [("life", 0), ("life", 2)]
    assert [record.request_id for report in reports for record in deliveries.new(report).decisions] == ["0", "1", "2", "3"]


async def test_a_record_that_cannot_be_completed_is_counted_and_the_others_arrive() -> None:
    bench = Bench()
    bench.records.add(errand(timeline=None))  # something nobody foresaw
    bench.records.add(errand(identity=Identity.named("1")))
    async with bench.running():
        await until(lambda: len(bench.records) == 0)
    (report,) = [report for report in bench.control.reports if report.decisions]
    assert [record and record.request_id for record in report.decisions] == [None, "1"]
    assert bench.failed == ["record"]


async def test_a_record_that_control_refuses_is_counted_and_those_before_and_after_it_arrive() -> None:
    bench = Bench()
    bench.control.refused = frozenset({"2", "3"})
    for number in range(6):
        bench.records.add(errand(identity=Identity.named(str(number))))
    async with bench.running():
        await until(lambda: len(bench.records) == 0)
    assert _told(bench.control.reports) == ["0", "1", "4", "5"]
    brought = [(report.first, report.decisions) for report in bench.control.reports if report.decisions]
    assert [first for first, decisions in brought if decisions == (None,)] == [2, 3]
    assert bench.failed == ["record"] * 2


async def test_a_report_without_decisions_that_control_refuses_waits_for_a_control_that_takes_it() -> None:
    bench = Bench()

    async def refuse(report: RouterReport) -> None:
        bench.control.asked.append(-2)
        raise ReportRefusedError("control answered 400")

    bench.control.report = refuse  # type: ignore[method-assign]
    async with bench.running():
        await until(lambda: bench.control.asked.count(-2) >= 3)
    assert bench.failed == []


async def test_a_report_says_what_is_wrong_with_an_engine() -> None:
    bench = Bench()
    target = Target(replica="d", url="http://d", pool=Pool.DECODE, model="m", model_root="/m")
    bench.keeper.retarget([target, msgspec.structs.replace(target, replica="e")])
    await until(lambda: all(engine.health is Health.READY for engine in bench.keeper.fleet.engines))
    with bench.in_flight.attempt("d", 0) as attempt:
        attempt.limit = Limits().start(60, "silent for")
        bench.now += 31.0
        bench.stalls.look()
        for _ in range(3):
            bench.keeper.request_failed("d", "answered 500")
        async with bench.running():
            report = await bench.control.until(0)
    assert [(engine.name, engine.health, engine.detail) for engine in report.engines] == [
        ("d", "ready", "stalled for 31 s; ejected for 10 s after 3 failures: answered 500"),
        ("e", "ready", ""),
    ]
