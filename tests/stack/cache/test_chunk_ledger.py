from stack.cache.chunk_ledger import ChunkLedger, Entry
from stack.model.chunk import CacheDoubt, Chunk, Part

A, B, C = (Chunk("/m", "", name) for name in (b"a", b"b", b"c"))


def parts(*chunks: Chunk, rank: int = 0) -> list[Part]:
    return [Part(chunk, rank, 0) for chunk in chunks]


def changes(ledger: ChunkLedger, since: int = 0) -> dict[Chunk, int]:
    return {entry.chunk: entry.known for entry in ledger.changes(since)}


def test_changes_since_a_moment_come_last_first() -> None:
    ledger = ChunkLedger()
    ledger.stored(parts(A, B), 1)
    ledger.removed(parts(A), 2)
    assert list(ledger.changes(0)) == [Entry(A, 2, 0), Entry(B, 1, 1)]
    assert list(ledger.changes(1)) == [Entry(A, 2, 0)]
    assert (ledger.parts, ledger.held) == (1, 1)


def test_a_chunk_is_there_when_the_shares_of_all_ranks_are() -> None:
    ledger = ChunkLedger()
    ledger.stored(parts(A, B), 1)
    ledger.stored(parts(A, rank=1), 2)
    assert changes(ledger) == {A: 2, B: 0}
    ledger.removed(parts(A, rank=0), 3)
    assert changes(ledger) == {A: 0, B: 0}
    assert ledger.parts == 2


def test_what_was_doubted_is_believed_again_when_it_is_reported_again() -> None:
    ledger = ChunkLedger()
    ledger.stored(parts(A, B), 1)
    ledger.doubted(2, CacheDoubt.STORE_EVICTED, stores_lost=False)
    ledger.stored(parts(A), 3)
    assert (ledger.since, changes(ledger), ledger.parts) == (2, {A: 3, B: 1}, 1)


def test_a_doubtful_chunk_that_is_removed_is_not_counted_twice() -> None:
    ledger = ChunkLedger()
    ledger.stored(parts(A), 1)
    ledger.doubted(2, CacheDoubt.REPORTS_LOST, stores_lost=True)
    ledger.removed(parts(A), 3)
    ledger.removed(parts(A), 4)
    assert (ledger.parts, changes(ledger)) == (0, {A: 0})


def test_it_is_complete_when_the_owner_counts_as_many_as_were_reported() -> None:
    ledger = ChunkLedger()
    ledger.stored(parts(A, B), 1)
    assert (ledger.counted(3), ledger.complete) == (False, False)
    assert (ledger.counted(2), ledger.complete) == (True, True)
    assert not ledger.counted(2)


def test_equal_counts_settle_a_doubt_for_good() -> None:
    ledger = ChunkLedger()
    ledger.stored(parts(A, B), 1)
    ledger.counted(2)
    ledger.doubted(2, CacheDoubt.STORE_EVICTED, stores_lost=False)
    ledger.stored(parts(C), 3)
    assert (ledger.counted(2), ledger.doubt) == (False, CacheDoubt.STORE_EVICTED)
    assert (ledger.counted(1), ledger.doubt, ledger.floor) == (True, None, 2)
    assert changes(ledger) == {C: 3}


def test_lost_stores_end_completeness_and_evictions_do_not() -> None:
    ledger = ChunkLedger()
    ledger.counted(0)
    ledger.doubted(1, CacheDoubt.STORE_EVICTED, stores_lost=False)
    assert ledger.complete
    ledger.doubted(2, CacheDoubt.REPORTS_LOST, stores_lost=True)
    assert not ledger.complete


def test_a_cleared_ledger_is_empty_and_says_from_when_on() -> None:
    ledger = ChunkLedger()
    ledger.stored(parts(A), 1)
    ledger.cleared(2)
    assert (changes(ledger), ledger.floor, ledger.since, ledger.parts, ledger.complete) == ({}, 2, 2, 0, False)


def test_it_is_bounded_and_what_it_dropped_makes_it_partial() -> None:
    ledger = ChunkLedger(limit=2)
    ledger.stored(parts(A, B), 1)
    ledger.counted(2)
    ledger.stored(parts(C), 2)
    assert (len(ledger), ledger.complete, ledger.doubt, ledger.floor) == (2, False, CacheDoubt.PARTIAL, 1)


def test_a_dropped_tombstone_costs_nothing() -> None:
    ledger = ChunkLedger(limit=2)
    ledger.stored(parts(A), 1)
    ledger.removed(parts(A), 2)
    ledger.counted(0)
    ledger.stored(parts(B, C), 3)
    assert (ledger.complete, ledger.doubt, changes(ledger)) == (True, None, {B: 3, C: 3})
