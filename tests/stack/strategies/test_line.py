"""Candidates in a line: found by name, and the few with the least to do at hand."""

from msgspec.structs import replace

from stack.model.load import Queue
from stack.strategies.line import SHORTEST, Line
from tests.stack.strategies.fleets import engine, fleet


def test_engines_are_found_by_name_and_a_line_is_not_made_twice() -> None:
    line = Line.of(fleet(3))
    assert (list(line), len(line), line[1], line.places["decode-2"]) == (fleet(3), 3, engine("decode-1"), 2)
    assert Line.of(line) is line
    assert tuple(line.shortest) == line
    assert (line.named("decode-0"), line.named("other")) == (engine("decode-0"), None)


def test_of_many_the_few_with_the_least_to_do_are_at_hand() -> None:
    engines = [replace(engine(f"decode-{number:02}"), in_flight=99 - number) for number in range(40)]
    engines[39] = replace(engines[39], queue=Queue(90_000.0, 1000.0, 0.0))
    assert [e.name for e in Line.of(engines).shortest] == [f"decode-{number:02}" for number in range(38, 38 - SHORTEST, -1)]


def test_what_an_engine_is_at_work_on_may_be_nearly_done_and_does_not_count() -> None:
    engines = [replace(engine(f"decode-{number:02}"), in_flight=1) for number in range(40)]
    engines[7] = replace(engines[7], in_flight=0, queue=Queue(1000.0, 1000.0, 0.0))
    assert Line.of(engines).shortest[0].name == "decode-07"
