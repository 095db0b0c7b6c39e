from stack.cache.relay import STORE, CacheUpdate, RelayedLedger
from stack.control.cache_directory import LIVE_SECONDS, SETTLE_SECONDS, CacheDirectory
from stack.model.chunk import CacheBatch, CacheDoubt, Chunk, Part
from stack.model.tier import Tier

A, B = (Chunk("/m", "", name) for name in (b"a", b"b"))


def batch(sequence: int, tier: Tier, held: bool | None, *chunks: Chunk, incarnation: int = 1, server: str = "lmc") -> CacheBatch:
    return CacheBatch(server, incarnation, sequence, tier, held, [Part(chunk, 0, 0) for chunk in chunks])


def directory(has_store: bool = True) -> CacheDirectory:
    """A server and a store, both empty and known to be so."""
    made = CacheDirectory(7, has_store=has_store)
    made.joined("lmc", 0.0)
    made.described("lmc", chunk_tokens=256, algorithm="blake3", objects=0, dropped=0, now=0.0)
    made.store_described(losses=0, keys=0, now=0.0)
    return made


def ledgers(update: CacheUpdate) -> dict[str, RelayedLedger]:
    return {ledger.server: ledger for ledger in update.ledgers}


def known(ledger: RelayedLedger) -> dict[bytes, bool]:
    return {chunk.name: chunk.known > ledger.since for chunk in ledger.chunks}


def test_what_a_server_reports_is_relayed_tier_by_tier() -> None:
    made = directory()
    made.reported(batch(1, Tier.L1, True, A, B), 1.0)
    made.reported(batch(2, Tier.L2, True, A), 1.0)
    found = ledgers(made.update(0, 0, now=2.0))
    assert (known(found["lmc"]), known(found[STORE])) == ({b"a": True, b"b": True}, {b"a": True})
    assert (found["lmc"].complete, found["lmc"].doubt, found["lmc"].silent, found["lmc"].age_seconds) == (True, None, None, 1.0)
    assert (found["lmc"].chunk_tokens, found["lmc"].algorithm, found["lmc"].held) == (256, "blake3", 2)


def test_only_what_changed_is_relayed_again_and_all_of_it_to_another_epoch() -> None:
    made = directory()
    made.reported(batch(1, Tier.L1, True, A), 1.0)
    before = made.update(0, 0, now=1.0)
    made.reported(batch(2, Tier.L1, False, A), 2.0)
    after = made.update(7, before.version, now=2.0)
    assert [(chunk.name, chunk.known) for chunk in ledgers(after)["lmc"].chunks] == [(b"a", 0)]
    assert made.update(7, after.version, now=2.0).ledgers[1].chunks == ()
    assert len(ledgers(made.update(6, after.version, now=2.0))["lmc"].chunks) == 1


def test_a_large_directory_is_relayed_page_by_page() -> None:
    made = directory()
    for sequence in range(1, 6):
        made.reported(batch(sequence, Tier.L1, True, Chunk("/m", "", bytes([sequence]))), 1.0)
    names, since, more = [], 0, True
    while more:
        page = made.update(7, since, now=1.0, limit=2)
        names += [chunk.name[0] for ledger in page.ledgers for chunk in ledger.chunks]
        since, more = page.version, page.more
    assert names == [1, 2, 3, 4, 5]


def test_a_batch_counts_once_and_one_of_a_process_that_is_gone_never() -> None:
    made = directory()
    assert made.reported(batch(1, Tier.L1, True, A, incarnation=5), 1.0)
    assert not made.reported(batch(1, Tier.L1, False, A, incarnation=5), 1.0)
    assert not made.reported(batch(9, Tier.L1, False, A, incarnation=4), 1.0)
    assert known(ledgers(made.update(7, 0, now=1.0))["lmc"]) == {b"a": True}


def test_a_gap_makes_all_that_was_reported_doubtful_until_it_is_reported_again() -> None:
    made = directory()
    made.reported(batch(1, Tier.L1, True, A, B), 1.0)
    made.reported(batch(3, Tier.L2, None), 2.0)
    made.reported(batch(4, Tier.L1, True, A), 2.0 + SETTLE_SECONDS)
    found = ledgers(made.update(7, 0, now=9.0))["lmc"]
    assert (known(found), found.doubt, found.complete) == ({b"a": True, b"b": False}, CacheDoubt.REPORTS_LOST, False)
    assert made.doubts == {(Tier.L1, CacheDoubt.REPORTS_LOST): 1, (Tier.L2, CacheDoubt.REPORTS_LOST): 1}


def test_a_report_under_way_while_the_store_evicts_is_doubtful_too() -> None:
    made = directory()
    made.reported(batch(1, Tier.L2, True, A), 1.0)
    made.store_described(losses=3, keys=1, now=2.0)
    made.reported(batch(2, Tier.L2, True, B), 2.0 + SETTLE_SECONDS / 2)
    found = ledgers(made.update(7, 0, now=4.0))[STORE]
    assert (known(found), found.doubt, found.complete) == ({b"a": False, b"b": False}, CacheDoubt.STORE_EVICTED, True)


def test_a_flushed_store_is_known_to_be_empty_once_the_counts_agree() -> None:
    made = directory()
    made.reported(batch(1, Tier.L2, True, A), 1.0)
    made.store_described(losses="flushed", keys=0, now=2.0)
    assert ledgers(made.update(7, 0, now=2.0))[STORE].doubt is CacheDoubt.STORE_EVICTED
    made.store_described(losses="flushed", keys=0, now=2.0 + SETTLE_SECONDS)
    found = ledgers(made.update(7, 0, now=9.0))[STORE]
    assert (known(found), found.doubt, found.complete) == ({}, None, True)


def test_events_that_a_server_dropped_make_both_tiers_doubtful() -> None:
    made = directory()
    made.described("lmc", chunk_tokens=256, algorithm="blake3", objects=0, dropped=1, now=1.0)
    found = ledgers(made.update(7, 0, now=1.0))
    assert [found[name].doubt for name in ("lmc", STORE)] == [CacheDoubt.EVENTS_DROPPED] * 2


def test_a_restarted_server_has_an_empty_l1_and_a_store_of_which_more_may_be_known() -> None:
    made = directory()
    made.reported(batch(1, Tier.L1, True, A), 1.0)
    made.reported(batch(2, Tier.L2, True, A), 1.0)
    made.reported(batch(1, Tier.L1, None, incarnation=2), 5.0)
    found = ledgers(made.update(7, 0, now=5.0))
    assert (known(found["lmc"]), found["lmc"].complete, known(found[STORE]), found[STORE].complete) == (
        {},
        False,
        {b"a": True},
        False,
    )
    made.described("lmc", chunk_tokens=256, algorithm="blake3", objects=0, dropped=0, now=6.0)
    made.store_described(losses=0, keys=1, now=6.0)
    found = ledgers(made.update(7, 0, now=6.0))
    assert (found["lmc"].complete, found[STORE].complete) == (True, True)


def test_what_was_there_before_anybody_listened_is_partial() -> None:
    made = CacheDirectory(7, has_store=True)
    made.reported(batch(40, Tier.L1, True, A), 1.0)
    made.described("lmc", chunk_tokens=256, algorithm="blake3", objects=12, dropped=0, now=1.0)
    found = ledgers(made.update(7, 0, now=1.0))["lmc"]
    assert (known(found), found.complete, found.doubt) == ({b"a": True}, False, CacheDoubt.PARTIAL)


def test_silence_is_told_apart() -> None:
    late = LIVE_SECONDS + 1.0
    assert [ledger.silent for ledger in directory().update(7, 0, now=late).ledgers] == [CacheDoubt.STORE_SILENT, CacheDoubt.UNHEARD]
    assert directory(has_store=False).update(7, 0, now=0.0).ledgers[0].silent is CacheDoubt.NO_STORE


def test_a_server_that_left_takes_its_l1_with_it() -> None:
    made = directory()
    made.reported(batch(1, Tier.L1, True, A), 1.0)
    made.reported(batch(2, Tier.L2, True, A), 1.0)
    version = made.version
    made.left("lmc")
    assert (list(ledgers(made.update(7, 0, now=1.0))), made.version > version) == ([STORE], True)


def test_of_a_server_that_vanished_nothing_is_known_until_it_is_heard_of_again() -> None:
    made = directory()
    made.reported(batch(1, Tier.L1, True, A), 1.0)
    made.vanished("lmc")
    made.vanished("nobody")
    assert ledgers(made.update(7, 0, now=1.0))["lmc"].silent is CacheDoubt.UNHEARD
    made.joined("lmc", 2.0)
    assert ledgers(made.update(7, 0, now=2.0))["lmc"].silent is None
