"""When a first token comes: what is queued, computed and loaded before it."""

import pytest

from stack.cache.cost import Cost, ahead, cost
from stack.model.load import EMPTY_QUEUE, Queue
from stack.model.rates import Rates

RATES = Rates(overhead_s=0.5, running_s=0.25, prefill_tokens_per_s=100, l1_tokens_per_s=1000, l2_tokens_per_s=500)


def test_each_part_of_a_prompt_costs_what_its_place_does() -> None:
    made = cost(250, 500, 250, Queue(300, 300, since=7.0), in_flight=2, rates=RATES, now=7.0)
    assert made == Cost(overhead_s=1.0, queue_s=3.0, compute_s=2.5, load_s=1.0, ttft_s=7.5)
    assert cost(0, 0, 0, EMPTY_QUEUE, 0, RATES, 99.0) == Cost(0.5, 0.0, 0.0, 0.0, 0.5)


@pytest.mark.parametrize(
    ("now", "left"),
    [(10.0, 700.0), (12.0, 500.0), (14.0, 300.0), (99.0, 300.0), (5.0, 700.0)],
)
def test_an_engine_at_work_gets_on_with_the_first_prompt_but_not_beyond_it(now: float, left: float) -> None:
    assert ahead(Queue(tokens=700, head=400, since=10.0), RATES, now) == left
