"""A prompt's first token, from what is known of an engine."""

from msgspec.structs import replace

from stack.cache.cost import Cost
from stack.model.load import Queue
from stack.model.placement import EnginePlacement
from stack.model.rates import Rates
from stack.strategies.prediction import computing, predicted
from tests.stack.strategies.fleets import engine, request

RATES = Rates(overhead_s=0.5, running_s=0.25, prefill_tokens_per_s=100, l1_tokens_per_s=1000, l2_tokens_per_s=500)
LOADED = replace(engine("a", 2), queue=Queue(300, 300, 0.0), rates=RATES)


def test_cached_tokens_are_loaded_and_the_rest_is_computed_behind_the_queue() -> None:
    held = EnginePlacement(1000, l1_tokens=500, l2_tokens=250)
    assert predicted(request(), LOADED, held, 2000) == Cost(1.0, 3.0, 2.5, 1.0, 7.5)


def test_what_nobody_can_tell_of_a_tier_counts_as_to_be_computed() -> None:
    unknown = EnginePlacement(1000, l1_tokens=None, l2_tokens=None)
    assert predicted(request(), LOADED, unknown, 2000) == computing(request(), LOADED, 1000) == Cost(1.0, 3.0, 10.0, 0.0, 14.0)
