"""vLLM's own offloading, as an emulated engine tells of it: blocks named only, under media CPU and STORAGE."""

from __future__ import annotations

import msgspec

from stack.cache.index import BlockIndex
from stack.emulator.events import Journal, Medium
from stack.emulator.hashing import BlockChain
from stack.engines.vllm_events import Reader, extra_key
from stack.model.kv_event import Source
from stack.model.placement import EnginePlacement

A = Source("a")
PROMPT = list(range(3000, 3000 + 10 * 16))


def _hashes(salt: str | None = None) -> list[int]:
    chain = BlockChain(salt)
    return [chain.extend(PROMPT[start : start + 16]) for start in range(0, len(PROMPT), 16)]


class _Engine:
    """Tells an index what it does."""

    def __init__(self, index: BlockIndex) -> None:
        self.journal = Journal(16, lambda: None)
        self._index = index
        index.follow(A)

    def tell(self) -> None:
        self._index.apply(A, Reader().read(msgspec.msgpack.encode(self.journal.take(1.0))), 1.0)


def test_tiers_continue_where_the_engine_s_own_memory_ends() -> None:
    index, hashes = BlockIndex(), _hashes()
    engine = _Engine(index)
    engine.journal.stored(hashes, None, PROMPT, None)
    engine.journal.offloaded(Medium.CPU, hashes[:8])
    engine.journal.offloaded(Medium.STORAGE, hashes)
    engine.tell()
    engine.journal.removed(Medium.GPU, hashes[4:])
    engine.journal.removed(Medium.CPU, hashes[:2] + hashes[6:8])
    engine.tell()
    assert index.lookup([*PROMPT, 1], ["a"], 1.0).engines["a"] == EnginePlacement(64, 32, 64, age_seconds=0.0)


def test_a_salted_prompt_s_offloaded_blocks_serve_that_salt_alone() -> None:
    index, hashes = BlockIndex(), _hashes("tenant")
    engine = _Engine(index)
    engine.journal.stored(hashes, None, PROMPT, "tenant")
    engine.journal.offloaded(Medium.CPU, hashes)
    engine.journal.removed(Medium.GPU, hashes)
    engine.tell()
    salt = extra_key(cache_salt="tenant")
    assert [index.lookup([*PROMPT, 1], ["a"], 1.0, extras).engines["a"].l1_tokens for extras in ((), (salt,))] == [0, 160]
