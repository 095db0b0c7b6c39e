"""The router's own count of what engines have, and the end of waits that are in vain."""

from contextlib import suppress

from stack.router.in_flight import InFlight
from stack.router.limit import Limits


def test_requests_count_while_they_last_even_when_they_fail() -> None:
    in_flight = InFlight()
    with in_flight.attempt("a"):
        with suppress(RuntimeError), in_flight.attempt("a"), in_flight.attempt("b"):
            assert (dict(in_flight.counts), in_flight.total) == ({"a": 2, "b": 1}, 3)
            raise RuntimeError
        assert (dict(in_flight.counts), in_flight.total) == ({"a": 1, "b": 0}, 1)
    assert (dict(in_flight.counts), in_flight.total) == ({"a": 0, "b": 0}, 0)


async def test_abandoning_ends_the_waits_on_one_engine_only() -> None:
    in_flight, limits = InFlight(), Limits()
    with in_flight.attempt("a") as gone, in_flight.attempt("b") as other:
        gone.limit, other.limit = limits.start(60, "silent for"), limits.start(60, "silent for")
        in_flight.abandon("a")
        assert (gone.abandoned, gone.limit.expired, other.abandoned, other.limit.expired) == (True, True, False, False)
    limits.close()


async def test_an_attempt_whose_bytes_flow_is_not_abandoned() -> None:
    in_flight = InFlight()
    with in_flight.attempt("a") as attempt:
        in_flight.abandon("a")
        assert not attempt.abandoned
