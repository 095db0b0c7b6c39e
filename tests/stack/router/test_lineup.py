"""A candidate is the fleet's engine with this router's own view of it, and is made anew only when that changed."""

from msgspec.structs import replace

from stack.cache.rates import Observation, RateBook
from stack.fleet.engine import Engine, Standing
from stack.fleet.snapshot import Fleet, Member
from stack.model.load import EMPTY_QUEUE, Queue
from stack.model.rates import PROFILE
from stack.model.tier import Pool
from stack.router.in_flight import InFlight
from stack.router.lineup import Lineup
from stack.strategies.line import SHORTEST, Line
from tests.stack.strategies.fleets import engine


def fleet(*engines: Engine) -> Fleet:
    return Fleet.of(Member(engine) for engine in engines)


def test_load_queue_and_rates_are_those_of_the_moment() -> None:
    in_flight, rates = InFlight(lambda: 7.0), RateBook(PROFILE)
    lineup, known = Lineup(in_flight, rates), fleet(engine("a"), engine("b"))

    def seen() -> tuple[int, Queue]:
        first, second = lineup.candidates(known, "m", Pool.DECODE)
        assert second == engine("b")
        return first.in_flight, first.queue

    before = lineup.candidates(known, "m", Pool.DECODE)
    assert before == (engine("a"), engine("b"))
    assert lineup.candidates(known, "m", Pool.DECODE) is before
    with in_flight.attempt("a", 500, 400) as attempt:
        assert seen() == (1, Queue(400, 400, 7.0))
        in_flight.computed(attempt)
        assert seen() == (1, EMPTY_QUEUE)
    assert seen() == (0, EMPTY_QUEUE)
    assert before[0].in_flight == 0
    rates.learn("a", Observation(5.0, 1000.0))
    assert lineup.candidates(known, "m", Pool.DECODE)[0].rates is rates.of("a")


def test_of_many_engines_those_with_the_least_to_do_are_those_of_the_moment() -> None:
    in_flight, rates = InFlight(), RateBook(PROFILE)
    lineup, known = Lineup(in_flight, rates), fleet(*(engine(f"e{number:02}") for number in range(SHORTEST + 4)))

    def shortest() -> list[str]:
        line = lineup.candidates(known, "m", Pool.DECODE)
        assert isinstance(line, Line)
        assert list(line.shortest) == list(Line.of(list(line)).shortest)
        return [each.name for each in line.shortest]

    assert shortest()[0] == "e00"
    with in_flight.attempt("e00"):
        assert "e00" not in shortest()
        with in_flight.attempt("e01"), in_flight.attempt("e01"):
            assert shortest()[0] == "e02"
    assert shortest()[0] == "e00"
    rates.learn("e00", Observation(5.0, 1000.0))
    assert "e00" not in shortest()


def test_another_fleet_is_lined_up_with_the_load_of_now() -> None:
    in_flight = InFlight()
    lineup = Lineup(in_flight, RateBook(PROFILE))
    assert lineup.candidates(fleet(engine("a")), "m", Pool.DECODE) == (engine("a"),)
    with in_flight.attempt("b"):
        after = fleet(engine("b"), engine("c"), engine("p", pool=Pool.PREFILL))
        assert lineup.candidates(after, "m", Pool.DECODE) == (engine("b", 1), engine("c"))
        assert lineup.candidates(after, "m", Pool.PREFILL) == (engine("p", pool=Pool.PREFILL),)
        assert lineup.candidates(after, "other", Pool.DECODE) == ()


def test_a_request_for_an_adapter_goes_where_it_is() -> None:
    in_flight = InFlight()
    lineup, holders = Lineup(in_flight, RateBook(PROFILE)), {"a": frozenset({"sql"}), "b": frozenset({"sql", "fr"})}
    known = Fleet.of(Member(engine(name), adapters=holders.get(name)) for name in ("a", "b", "c"))
    with in_flight.attempt("b"):
        assert lineup.candidates(known, "sql", Pool.DECODE) == (engine("a"), engine("b", 1))
        assert lineup.candidates(known, "fr", Pool.DECODE) == (engine("b", 1),)
        assert lineup.candidates(known, "fr", Pool.PREFILL) == lineup.candidates(known, "de", Pool.DECODE) == ()
    assert [each.name for each in lineup.candidates(known, "m", Pool.DECODE)] == ["a", "b", "c"]


def test_an_engine_on_trial_gets_one_request() -> None:
    in_flight = InFlight()
    lineup, known = Lineup(in_flight, RateBook(PROFILE)), fleet(replace(engine("a"), standing=Standing.TRIAL), engine("b"))
    assert [each.name for each in lineup.candidates(known, "m", Pool.DECODE)] == ["a", "b"]
    with in_flight.attempt("a"):
        assert [each.name for each in lineup.candidates(known, "m", Pool.DECODE)] == ["b"]


def test_an_engine_that_left_is_forgotten_with_its_rates() -> None:
    rates = RateBook(PROFILE)
    lineup, known = Lineup(InFlight(), rates), engine("a")
    lineup.candidates(fleet(known), "m", Pool.DECODE)
    rates.learn("a", Observation(5.0, 1000.0))
    lineup.watch([known.target])
    assert rates.of("a") is not PROFILE
    lineup.watch([])
    assert rates.of("a") is PROFILE
