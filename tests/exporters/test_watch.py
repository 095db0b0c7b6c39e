"""What only two expositions tell."""

from exporters.watch import STUCK_SECONDS, Watch
from stack.engines.quantities import Resolved, State
from stack.engines.vllm_quantities import GENERATED, KV_USED, PROMPT, RUNNING


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def told(running: float, prompt: float | None, generated: float) -> list[Resolved]:
    values = {RUNNING: running, KV_USED: 0.5, PROMPT: prompt, GENERATED: generated}
    return [Resolved(quantity, State.ABSENT if value is None else State.PRESENT, value) for quantity, value in values.items()]


def states(watch: Watch, *one: float | None) -> list[State]:
    running, prompt, generated = one
    return list(watch.states("e", told(running or 0.0, prompt, generated or 0.0)).values())


def test_a_counter_that_fell_was_reset_once() -> None:
    watch = Watch(Clock())
    states(watch, 0.0, 100.0, 50.0)
    assert states(watch, 0.0, 10.0, 60.0) == [State.PRESENT, State.PRESENT, State.RESET, State.PRESENT]
    assert states(watch, 0.0, 10.0, 60.0) == [State.PRESENT] * 4


def test_gauges_of_an_engine_that_works_at_nothing_for_two_minutes_are_stale() -> None:
    clock = Clock()
    watch = Watch(clock)
    states(watch, 3.0, 100.0, 50.0)
    assert states(watch, 3.0, 100.0, 50.0) == [State.PRESENT] * 4
    clock.now += STUCK_SECONDS
    assert states(watch, 3.0, 100.0, 50.0) == [State.STALE, State.STALE, State.PRESENT, State.PRESENT]
    assert states(watch, 3.0, 100.0, 51.0) == [State.PRESENT] * 4


def test_an_idle_engine_is_not_stale_and_one_without_counters_cannot_be_told() -> None:
    clock = Clock()
    watch = Watch(clock)
    for running, prompt in ((0.0, 100.0), (3.0, None)):
        for _ in range(3):
            found = states(watch, running, prompt, 50.0)
            clock.now += STUCK_SECONDS
        assert State.STALE not in found


def test_one_that_is_forgotten_is_another_when_it_comes_again() -> None:
    watch = Watch(Clock())
    states(watch, 0.0, 100.0, 50.0)
    watch.forget("e")
    assert State.RESET not in states(watch, 0.0, 1.0, 1.0)
