"""What a request's placement is made of: the engines' own events, and what lies behind them."""

import msgspec

from stack.cache.index import BlockIndex
from stack.cache.relay import STORE, CacheUpdate, RelayedChunk, RelayedLedger
from stack.cache.tier_index import TierIndex
from stack.fleet.engine import Engine
from stack.fleet.snapshot import Fleet, Member
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


def test_a_tenants_chunks_are_its_own() -> None:
    assert placing("tenant").of(body(), TOKENS, FLEET, 5.0).engines["d1"].l1_tokens == 0
    assert placing("tenant").of(body(cache_salt="tenant"), TOKENS, FLEET, 5.0).engines["d1"] == EnginePlacement(
        0, 16, 0, 0.0, l1_age_seconds=0.0
    )
