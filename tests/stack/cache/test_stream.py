"""The order of one engine's batches."""

from __future__ import annotations

from stack.cache.followed import Knowledge
from stack.cache.index import BlockIndex
from stack.cache.stream import EventStream, Taken
from stack.model.kv_event import KvBatch, Source, Stored
from stack.model.tier import Tier


def batch(at: float, block: int = 0) -> KvBatch:
    return KvBatch(at, (Stored([block], None, [block], 1, Tier.ENGINE),))


def begun() -> tuple[EventStream, BlockIndex]:
    index = BlockIndex()
    stream = EventStream(Source("a"), index)
    stream.begin(0, 1.0)
    return stream, index


def test_batches_are_applied_in_order_and_once() -> None:
    stream, index = begun()
    taken = [stream.take(0, batch(1.0, 1), 9.0), stream.take(1, batch(2.0, 2), 9.0), stream.take(0, batch(1.0, 1), 9.0)]
    assert taken == [Taken.APPLIED, Taken.APPLIED, Taken.REPEATED]
    assert index.blocks("a", Tier.ENGINE) == 2
    assert stream.last_sequence == 1


def test_a_gap_is_refused_and_changes_nothing() -> None:
    stream, index = begun()
    stream.take(0, batch(1.0, 1), 9.0)
    assert stream.take(2, batch(3.0, 3), 9.0) is Taken.REFUSED
    assert (stream.last_sequence, index.blocks("a", Tier.ENGINE)) == (0, 1)


def test_an_earlier_number_with_a_later_time_is_another_process() -> None:
    stream, _ = begun()
    for number in range(3):
        stream.take(number, batch(float(number)), 9.0)
    assert stream.take(0, batch(50.0), 9.0) is Taken.REFUSED
    assert not stream.is_last(2, batch(50.0))
    assert stream.is_last(2, batch(2.0))


def test_beginning_late_is_a_partial_placement() -> None:
    stream, index = begun()
    stream.begin(7, 1.0)
    assert stream.take(7, batch(1.0, 1), 9.0) is Taken.APPLIED
    assert (index.blocks("a", Tier.ENGINE), index.knowledge("a")) == (1, Knowledge.PARTIAL)


def test_after_a_loss_the_stream_goes_on_anywhere_and_the_placement_is_partial() -> None:
    stream, index = begun()
    stream.take(0, batch(1.0, 1), 9.0)
    stream.take(1, batch(2.0, 2), 9.0)
    stream.lose(9.0)
    assert stream.take(40, batch(3.0, 3), 9.0) is Taken.APPLIED
    assert (index.blocks("a", Tier.ENGINE), index.knowledge("a")) == (1, Knowledge.PARTIAL)
