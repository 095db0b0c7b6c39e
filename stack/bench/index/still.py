"""What one look-up takes, and what one block takes: measured without sockets."""

from __future__ import annotations

import random
import time
import tracemalloc
from array import array
from collections.abc import Sequence
from dataclasses import dataclass

from stack.bench.index.churn import Churn
from stack.cache.blocks import TOKEN_TYPE
from stack.cache.index import BlockIndex
from stack.engines.vllm_events import Reader
from stack.model.kv_event import KvBatch, Source, Stored
from stack.model.tier import Tier

BLOCK_TOKENS = 16


@dataclass(frozen=True, slots=True)
class Fill:
    """How many engines hold how many blocks each for the memory's measure, and how often it is taken on the way."""

    engines: int = 4
    blocks_each: int = 60_000
    samples: int = 48


def lookup_seconds(blocks: int, engines: int, rounds: int, *, seen: bool) -> list[float]:
    """CPU time of each of `rounds` look-ups of a prompt of `blocks` blocks, of which each engine holds another part.

    `seen`: it was looked up before, and the index remembers such prompts.
    """
    chance = random.Random(1)
    prompt = array(TOKEN_TYPE, [chance.randrange(128_000) for _ in range(blocks * BLOCK_TOKENS + 1)])
    index = BlockIndex() if seen else BlockIndex(chain_bytes=0)
    names = [f"engine-{number}" for number in range(engines)]
    for number, name in enumerate(names):
        held = blocks - number * blocks // (4 * engines)
        stored = Stored(
            [chance.getrandbits(64) for _ in range(held)], None, prompt[: held * BLOCK_TOKENS], BLOCK_TOKENS, Tier.ENGINE
        )
        index.follow(Source(name))
        index.apply(Source(name), KvBatch(0.0, (stored,)), 0.0)
    return [_timed(index, prompt, names) for _ in range(rounds)]


def bytes_per_block(fill: Fill) -> list[float]:
    """Python's allocations for each block held, from a fifth of the fill on: dictionaries grow in leaps, so it goes up and down."""
    index = BlockIndex()
    steps = fill.blocks_each // 32
    engines = [list(Churn(steps, capacity=fill.blocks_each).payloads(seed)) for seed in range(fill.engines)]
    sources = [Source(f"engine-{number}") for number in range(fill.engines)]
    for source in sources:
        index.follow(source)
    reader, taken = Reader(), list[float]()
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        for step, payloads in enumerate(zip(*engines, strict=True), 1):
            for source, payload in zip(sources, payloads, strict=True):
                index.apply(source, reader.read(payload), 0.0)
            if step > steps // 5 and step % (steps // fill.samples) == 0:
                taken.append((tracemalloc.get_traced_memory()[0] - before) / (step * 32 * fill.engines))
    finally:
        tracemalloc.stop()
    return taken


def _timed(index: BlockIndex, prompt: Sequence[int], names: list[str]) -> float:
    begun = time.process_time()
    index.lookup(prompt, names, 0.0)
    return time.process_time() - begun
