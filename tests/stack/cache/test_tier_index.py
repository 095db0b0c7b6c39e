from collections import Counter
from collections.abc import Sequence

from msgspec.structs import replace

from stack.cache.relay import STORE, CacheUpdate, RelayedChunk, RelayedLedger
from stack.cache.tier_index import CONTROL_SILENT_SECONDS, TierIndex
from stack.model.chunk import CacheDoubt
from stack.model.placement import EnginePlacement, Placement
from stack.model.target import Target
from stack.model.tier import Pool, Tier

TOKENS = list(range(2_000))
NAMES = [bytes([index]) for index in range(7)]
L1 = RelayedLedger(server="lmc", complete=True, age_seconds=0.5, chunk_tokens=256, algorithm="blake3")
L2 = RelayedLedger(server=STORE, complete=True, age_seconds=1.0)


def target(replica: str, cache_server: str | None = "lmc") -> Target:
    return Target(
        replica=replica, url="http://h:1", pool=Pool.DECODE, model="m", model_root="/m", cache_server=cache_server
    )  # fmt: skip


def names(tokens: Sequence[int], chunk_tokens: int) -> list[bytes]:
    return NAMES[: len(tokens) // chunk_tokens]


def index(*ledgers: RelayedLedger, more: bool = False) -> TierIndex:
    made = TierIndex(names, lambda algorithm: algorithm == "blake3")
    made.take(CacheUpdate(epoch=1, version=9, ledgers=ledgers, more=more), now=10.0)
    return made


def holding(ledger: RelayedLedger, *chunks: int, known: int = 5) -> RelayedLedger:
    return replace(ledger, chunks=tuple(RelayedChunk("/m", "", NAMES[chunk], known, known) for chunk in chunks))


def placed(made: TierIndex, engine_tokens: int = 0, now: float = 10.0, salt: str = "") -> EnginePlacement:
    before = Placement({"d0": EnginePlacement(engine_tokens)}, len(TOKENS))
    return made.behind(before, TOKENS, salt, [target("d0")], now).engines["d0"]


def test_l1_and_l2_add_to_what_the_engine_has_each_with_its_age() -> None:
    made = index(holding(L1, 0, 1), holding(L2, 0, 1, 2, 3))
    assert placed(made, 64, now=12.0) == EnginePlacement(64, 448, 512, None, l1_age_seconds=2.5, l2_age_seconds=3.0)


def test_every_engine_of_a_server_reaches_its_l1_and_no_other() -> None:
    engines = {name: EnginePlacement() for name in ("d0", "d1", "other", "none")}
    targets = [target("d0"), target("d1"), target("other", "lmc-2"), target("none", None), target("unknown")]
    made = index(holding(L1, 0, 1), replace(L1, server="lmc-2"), L2)
    found = made.behind(Placement(engines, 2_000), TOKENS, "", targets, 10.0).engines
    assert {name: held.l1_tokens for name, held in found.items()} == {"d0": 512, "d1": 512, "other": 0, "none": 0}


def test_a_salted_prompt_shares_nothing() -> None:
    assert placed(index(holding(L1, 0, 1), L2), salt="tenant").l1_tokens == 0


def test_what_the_store_may_have_evicted_is_unknown_and_counted() -> None:
    made = index(holding(L1, 0), replace(holding(L2, 0, 1, 2), since=6, doubt=CacheDoubt.STORE_EVICTED))
    found = placed(made)
    assert (found.l1_tokens, found.l2_tokens, found.certain) == (256, None, False)
    assert made.unknown == Counter({(Tier.L2, CacheDoubt.STORE_EVICTED): 1})
    made.take(CacheUpdate(epoch=1, version=12, ledgers=(L1, replace(holding(L2, 1, known=8), since=6, floor=6))), now=11.0)
    assert placed(made).l2_tokens == 256


def test_a_chunk_that_is_gone_is_gone() -> None:
    made = index(holding(L1, 0, 1), L2)
    gone = replace(L1, chunks=(RelayedChunk("/m", "", NAMES[1], 8, 0),))
    made.take(CacheUpdate(epoch=1, version=10, ledgers=(gone, L2)), now=11.0)
    assert placed(made).l1_tokens == 256
    made.take(CacheUpdate(epoch=1, version=11, ledgers=(replace(L1, floor=8), L2)), now=11.0)
    assert placed(made).l1_tokens == 0


def test_of_what_may_be_more_than_was_reported_nothing_is_called_absent() -> None:
    found = placed(index(holding(replace(L1, complete=False), 0), L2))
    assert (found.l1_tokens, found.doubts) == (None, ((Tier.L1, CacheDoubt.PARTIAL),))
    assert placed(index(holding(L1, 0), L2, more=True)).l1_tokens is None


def test_whoever_is_silent_makes_its_tiers_unknown() -> None:
    silent = replace(L2, silent=CacheDoubt.STORE_SILENT)
    assert placed(index(L1, silent)).doubts == ((Tier.L2, CacheDoubt.STORE_SILENT),)
    late = placed(index(holding(L1, 0), L2), now=10.0 + CONTROL_SILENT_SECONDS + 1.0)
    assert {reason for _, reason in late.doubts} == {CacheDoubt.CONTROL_SILENT}
    assert {reason for _, reason in placed(index(L2)).doubts} == {CacheDoubt.UNHEARD}
    assert {reason for _, reason in placed(TierIndex(names, bool)).doubts} == {CacheDoubt.CONTROL_SILENT}


def test_a_server_that_names_chunks_otherwise_is_unknown() -> None:
    found = placed(index(replace(L1, algorithm="sha256_cbor"), L2))
    assert {reason for _, reason in found.doubts} == {CacheDoubt.UNKNOWN_HASH}


def test_another_epoch_begins_anew() -> None:
    made = index(holding(L1, 0), L2)
    assert made.position == (1, 9)
    made.take(CacheUpdate(epoch=2, version=3, ledgers=(L1, L2)), now=11.0)
    assert (made.position, placed(made).l1_tokens) == ((2, 3), 0)


def test_chunks_of_a_tier_are_counted_while_they_are_known() -> None:
    made = index(replace(L1, held=12), replace(L2, held=30, doubt=CacheDoubt.STORE_EVICTED))
    assert (made.chunks("lmc", Tier.L1, 10.0), made.chunks("lmc", Tier.L2, 10.0), made.chunk_tokens("lmc")) == (12, None, 256)
    assert made.chunks("lmc", Tier.L1, 99.0) is None
    assert (made.chunks("gone", Tier.L1, 10.0), made.chunk_tokens("gone")) == (None, None)


def test_one_tier_alone_is_told_up_to_its_first_gap_though_the_other_has_the_rest() -> None:
    made = index(holding(L1, 0, 1, 3), holding(L2, 0, 1, 2, 3))
    assert (made.held(Tier.L1, "lmc", "/m", TOKENS), made.held(Tier.L2, "lmc", "/m", TOKENS)) == ((512, 1_792), (1_024, 1_792))


def test_what_is_doubted_is_not_held_for_sure() -> None:
    made = index(holding(replace(L1, since=5), 0), L2)
    assert made.held(Tier.L1, "lmc", "/m", TOKENS) == (0, 1_792)


def test_a_server_that_does_not_say_how_it_names_chunks_holds_nothing_that_could_be_told() -> None:
    assert index(replace(L1, algorithm="sha256_cbor"), L2).held(Tier.L1, "lmc", "/m", TOKENS) is None
    assert index(L2).held(Tier.L2, "lmc", "/m", TOKENS) is None
