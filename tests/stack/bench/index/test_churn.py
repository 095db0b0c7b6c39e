"""The benchmark's engine speaks as vLLM does."""

from __future__ import annotations

from stack.bench.index.churn import Churn
from stack.engines.vllm_events import Reader
from stack.model.kv_event import Removed, Stored

SMALL = Churn(steps=4, blocks_per_step=3, block_tokens=2, capacity=6)


def test_a_full_cache_gives_up_as_many_blocks_as_come_in() -> None:
    batches = [Reader().read(payload) for payload in SMALL.payloads(seed=1)]
    stored = [len(event.blocks) for batch in batches for event in batch.events if isinstance(event, Stored)]
    removed = [event.blocks for batch in batches for event in batch.events if isinstance(event, Removed)]
    assert (stored, [len(blocks) for blocks in removed], SMALL.removed) == ([3, 3, 3, 3], [1] * 6, 6)


def test_equal_seeds_give_equal_payloads() -> None:
    assert list(SMALL.payloads(1)) == list(SMALL.payloads(1)) != list(SMALL.payloads(2))
