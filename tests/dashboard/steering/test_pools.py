"""How far each pool is from what is desired of it."""

import pytest

from dashboard.steering.pools import PoolProgress, progress
from stack.api.schema import Applied, EngineView, StateView
from stack.fleet.engine import Health, State
from stack.model.tier import Pool
from tests.stack.control.samples import desired


def pool(want: int, **by_state: int) -> PoolProgress:
    return PoolProgress("m", Pool.DECODE, want, {State(name): count for name, count in by_state.items()})


@pytest.mark.parametrize(
    ("one", "done", "fraction", "sentence"),
    [
        (pool(2, ready=2), True, 1.0, "2 of 2 ready"),
        (pool(2, ready=1, drained=1), True, 1.0, "1 of 2 ready, 1 drained"),
        (pool(3, ready=2, joining=1), False, 2 / 3, "2 of 3 ready, 1 joining"),
        (pool(2, ready=2, draining=1), False, 2 / 3, "2 of 2 ready, 1 draining"),
        (pool(1, ready=2), False, 1 / 2, "2 of 1 ready"),
        (pool(2, ready=1), False, 1 / 2, "1 of 2 ready"),
        (pool(0), True, 1.0, "0 of 0 ready"),
        (pool(0, draining=1), False, 0.0, "0 of 0 ready, 1 draining"),
    ],
)
def test_a_pool_is_done_when_it_has_what_is_desired_and_nothing_else(
    one: PoolProgress, done: bool, fraction: float, sentence: str
) -> None:
    assert (one.done, one.sentence) == (done, sentence)
    assert one.fraction == pytest.approx(fraction)


def test_every_pool_of_every_model_is_counted() -> None:
    ready = EngineView(
        name="decode-0", model="smollm2", pool=Pool.DECODE, url=None, state=State.READY, health=Health.READY, in_flight=0
    )
    state = StateView(generation=1, desired=desired(), applied=Applied(), engines=(ready,))
    assert list(progress(state)) == [
        PoolProgress("smollm2", Pool.PREFILL, 1, {}),
        PoolProgress("smollm2", Pool.DECODE, 2, {State.READY: 1}),
    ]
