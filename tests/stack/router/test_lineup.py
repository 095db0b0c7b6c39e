"""A candidate is the fleet's engine with this router's own view of it, and is made anew only when that changed."""

from stack.cache.rates import Observation, RateBook
from stack.model.load import EMPTY_QUEUE, Queue
from stack.model.rates import PROFILE
from stack.router.in_flight import InFlight
from stack.router.lineup import Lineup
from tests.stack.strategies.fleets import engine


def test_load_queue_and_rates_are_those_of_the_moment() -> None:
    in_flight, rates = InFlight(lambda: 7.0), RateBook(PROFILE)
    lineup, known = Lineup(in_flight, rates), engine("a")
    first = lineup.loaded(known)
    assert lineup.loaded(known) is first
    assert (first.in_flight, first.queue, first.rates) == (0, EMPTY_QUEUE, PROFILE)
    with in_flight.attempt("a", 500, 400) as attempt:
        assert (lineup.loaded(known).in_flight, lineup.loaded(known).queue) == (1, Queue(400, 400, 7.0))
        in_flight.computed(attempt)
        assert (lineup.loaded(known).in_flight, lineup.loaded(known).queue) == (1, EMPTY_QUEUE)
    rates.learn("a", Observation(5.0, 1000.0))
    assert lineup.loaded(known).rates is rates.of("a")


def test_an_engine_that_left_is_forgotten_with_its_rates() -> None:
    rates = RateBook(PROFILE)
    lineup, known = Lineup(InFlight(), rates), engine("a")
    lineup.loaded(known)
    rates.learn("a", Observation(5.0, 1000.0))
    lineup.watch([known.target])
    assert rates.of("a") is not PROFILE
    lineup.watch([])
    assert rates.of("a") is PROFILE
