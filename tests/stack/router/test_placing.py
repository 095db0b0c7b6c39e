"""What a request's placement is made of: the engines' own events, and what lies behind them."""

import msgspec
from msgspec.structs import replace

from stack.cache.index import BlockIndex
from stack.cache.relay import STORE, CacheUpdate, RelayedChunk, RelayedLedger
from stack.cache.tier_index import TierIndex
from stack.engines.vllm_events import extra_key
from stack.fleet.engine import Engine
from stack.fleet.snapshot import Fleet, Member
from stack.model.chunk import CacheDoubt
from stack.model.kv_event import KvBatch, Source, Stored
from stack.model.placement import EnginePlacement
from stack.model.target import Target
from stack.model.tier import Pool, Tier
from stack.router.openai import COMPLETIONS, ParsedBody, parse
from stack.router.placing import Placing

FLEET = Fleet.of(
    [
        Member(Engine(Target(replica=name, url="http://d", pool=Pool.DECODE, model="m", model_root="/m", cache_server="lmc")))
        for name in ("d0", "d1")
    ]
)
TOKENS = list(range(20))


def body(**fields: object) -> ParsedBody:
    return parse(COMPLETIONS, msgspec.json.encode({"model": "m", "prompt": "x", **fields}))


def placing(salt: str) -> Placing:
    index, tiers = BlockIndex(), TierIndex(lambda tokens, size: [bytes([i]) for i in range(len(tokens) // size)], bool)
    for name in ("d0", "d1"):
        index.follow(Source(name))
        index.seen(Source(name), 5.0)
    index.apply(Source("d0"), KvBatch(1.0, (Stored([1, 2, 3], None, TOKENS[:12], 4, Tier.ENGINE),)), 5.0)
    chunks = tuple(RelayedChunk("/m", salt, bytes([number]), 1, 1) for number in range(2))
    server = RelayedLedger(server="lmc", complete=True, chunk_tokens=8, algorithm="a", age_seconds=0.0, chunks=chunks)
    tiers.take(CacheUpdate(epoch=1, version=1, ledgers=(server, RelayedLedger(server=STORE, complete=True))), now=5.0)
    return Placing(index, tiers)


def test_both_engines_reach_the_l1_of_their_server() -> None:
    found = placing("").of(body(), TOKENS, FLEET, 5.0)
    assert {name: (held.engine_tokens, held.l1_tokens, held.l2_tokens) for name, held in found.engines.items()} == {
        "d0": (12, 4, 0),
        "d1": (0, 16, 0),
    }


def test_an_adapters_kv_is_its_own_and_what_cache_servers_have_of_it_is_not_known() -> None:
    fleet = Fleet.of(replace(member, adapters=frozenset({"sql"} if name == "d0" else ())) for name, member in FLEET.members.items())
    placed = placing("")
    asked = parse(COMPLETIONS, msgspec.json.encode({"model": "sql", "prompt": "x"}))

    def tokens_in_engines() -> dict[str, int]:
        return {name: held.engine_tokens for name, held in placed.of(asked, TOKENS, fleet, 5.0).engines.items()}

    assert tokens_in_engines() == {"d0": 0}
    own = Stored([7, 8], None, TOKENS[:8], 4, Tier.ENGINE, [extra_key(lora="sql"), None])
    placed._index.apply(Source("d0"), KvBatch(2.0, (own,)), 5.0)
    assert tokens_in_engines() == {"d0": 8}
    (held,) = placed.of(asked, TOKENS, fleet, 5.0).engines.values()
    assert (held.l1_tokens, held.l2_tokens, {doubt for _, doubt in held.doubts}) == (None, None, {CacheDoubt.ADAPTER})
    assert placed.of(body(), TOKENS, fleet, 5.0).engines["d0"].engine_tokens == 12


def test_a_tenants_chunks_are_its_own() -> None:
    assert placing("tenant").of(body(), TOKENS, FLEET, 5.0).engines["d1"].l1_tokens == 0
    assert placing("tenant").of(body(cache_salt="tenant"), TOKENS, FLEET, 5.0).engines["d1"] == EnginePlacement(
        0, 16, 0, 0.0, l1_age_seconds=0.0
    )
