import asyncio
import random
from collections.abc import Iterator

from stack.traffic.load import Due, Load, poisson, recorded
from stack.traffic.request import Outcome, Request
from stack.traffic.scenarios import Finished

REQUEST = Request("chat", 8, prompt="x")


class Questions:
    """A scenario that notes what it hears."""

    def __init__(self) -> None:
        self.made = 0
        self.heard: list[str | None] = []

    def next(self) -> tuple[Request, Finished]:
        self.made += 1
        return REQUEST, self.heard.append


class Clock:
    """Time passes when somebody sleeps."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        for _ in range(5):  # whoever is ready runs before time moves
            await asyncio.sleep(0)
        self.now += seconds


class Endpoint:
    """Answers when `open` is set; notes when it was asked."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self.open = asyncio.Event()
        self.asked: list[float] = []

    async def ask(self, request: Request, began: float) -> tuple[Outcome, str | None]:
        self.asked.append(self._clock())
        await self.open.wait()
        return Outcome(kind=request.kind, started=self._clock() - began), "Yes."


def load(limit: int = 100) -> tuple[Load, Endpoint, list[Outcome]]:
    clock = Clock()
    endpoint, outcomes = Endpoint(clock), list[Outcome]()
    return Load(endpoint, clock, clock.sleep, outcomes.append, limit), endpoint, outcomes


def at(*moments: float) -> Iterator[Due]:
    return recorded(iter([(moment, REQUEST) for moment in moments]), None)


def closing(arrivals: Iterator[Due], endpoint: Endpoint) -> Iterator[Due]:
    """After the last arrival everything is answered."""
    yield from arrivals
    endpoint.open.set()


async def test_arrivals_do_not_wait_for_answers() -> None:
    running, endpoint, outcomes = load()
    await running.run(closing(at(1.0, 2.0, 5.0), endpoint))
    assert endpoint.asked == [1.0, 2.0, 5.0]
    assert len(outcomes) == 3
    assert running.in_flight == 0


async def test_what_is_due_beyond_the_limit_is_skipped_and_counted() -> None:
    running, endpoint, outcomes = load(limit=2)
    await running.run(closing(at(1.0, 2.0, 3.0, 4.0), endpoint))
    assert (endpoint.asked, running.skipped, len(outcomes)) == ([1.0, 2.0], 2, 2)


async def test_a_scenario_hears_each_answer_and_is_asked_only_when_a_request_is_due() -> None:
    running, endpoint, _ = load()
    endpoint.open.set()
    scenario = Questions()
    arrivals = poisson(scenario, rate=2.0, duration=10.0, rng=random.Random(1))
    assert next(arrivals)[0] > 0
    assert scenario.made == 0
    await running.run(arrivals)
    assert scenario.heard == ["Yes."] * scenario.made
    assert scenario.made > 5


def test_arrivals_come_at_the_rate_that_was_asked_for() -> None:
    moments = [due for due, _ in poisson(Questions(), rate=5.0, duration=400.0, rng=random.Random(1))]
    assert 1800 < len(moments) < 2200
    assert moments == sorted(moments)
    assert moments[-1] <= 400.0


def test_a_recorded_run_ends_with_its_duration() -> None:
    assert [due for due, _ in recorded(iter([(0.0, REQUEST), (5.0, REQUEST), (9.0, REQUEST)]), 6.0)] == [0.0, 5.0]
