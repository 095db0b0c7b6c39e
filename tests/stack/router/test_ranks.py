"""Which data-parallel rank a request is sent to."""

from __future__ import annotations

import pytest

from stack.model.placement import EnginePlacement
from stack.router.header_fields import header_lines
from stack.router.in_flight import InFlight
from stack.router.ranks import rank_for

HELD = EnginePlacement(512, ranks=4, rank=2)


@pytest.mark.parametrize("held", [None, EnginePlacement(512), EnginePlacement(0, ranks=4)])
def test_where_nothing_is_held_or_there_is_one_rank_the_engine_decides(held: EnginePlacement | None) -> None:
    assert rank_for(held, []) is None


def test_a_rank_gets_what_it_holds_up_to_a_quarter_above_its_share_and_one() -> None:
    assert [rank_for(HELD, aimed) for aimed in ([], [2], [2, 2], [2, 2, 2])] == [2, 2, None, None]
    busy: list[int | None] = [0, 1, 3, None] * 5
    assert [rank_for(HELD, [*busy, *[2] * there]) for there in (9, 10, 11, 12)] == [2, 2, None, None]


def test_a_request_s_rank_goes_with_it_and_counts_until_its_end() -> None:
    in_flight = InFlight(lambda: 0.0)
    with in_flight.attempt("a", held=HELD) as first, in_flight.attempt("a", held=HELD) as second:
        third = in_flight.attempt("a", held=HELD)
        assert [first.rank, second.rank, third.rank] == [2, 2, None]
        assert in_flight.attempt("b", held=HELD).rank == 2
    assert in_flight.attempt("a", held=HELD).rank == 2
    accepting = header_lines([(b"accept", b"*/*")])
    assert first.headers(accepting) == b"accept: */*\r\nx-data-parallel-rank: 2\r\n"
    assert third.headers(accepting) == accepting
