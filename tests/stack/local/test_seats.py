from stack.local.seats import Seats
from stack.model.tier import Pool


def test_ports_count_up_over_both_pools() -> None:
    seats = Seats(8100)
    taken = [seats.take(pool) for pool in (Pool.PREFILL, Pool.DECODE, Pool.DECODE)]
    assert [(seat.name, seat.port, seat.side_channel_port) for seat in taken] == [
        ("prefill-0", 8100, 8300),
        ("decode-0", 8101, 8301),
        ("decode-1", 8102, 8302),
    ]


def test_the_lowest_seat_that_is_free_is_taken() -> None:
    seats = Seats(8100)
    for _ in range(3):
        seats.take(Pool.DECODE)
    seats.leave("decode-1")
    again = seats.take(Pool.DECODE)
    assert (again.name, again.port) == ("decode-1", 8101)
    assert seats.take(Pool.DECODE).name == "decode-3"
