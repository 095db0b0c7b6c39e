"""vLLM's KV event payloads, as its own encoder writes them (tests/data/vllm_kv_event_payloads.json)."""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence
from pathlib import Path

import msgspec
import pytest

from stack.engines.vllm_events import KvEventFormatError, Reader, extra_key, rank_endpoint
from stack.model.kv_event import Cleared, KvBatch, Removed, Stored
from stack.model.tier import Tier

RECORDED = json.loads((Path(__file__).parents[2] / "data" / "vllm_kv_event_payloads.json").read_text())
EXPECTED = {
    "stored": KvBatch(1795967490.5, (Stored([2**60 - 1, 7], None, list(range(8)), 4, Tier.ENGINE, [None, None]),)),
    "follows": KvBatch(1795967490.6, (Stored([9], 7, [8, 9, 10, 11], 4, Tier.ENGINE, [None]),)),
    "salted": KvBatch(1795967491.0, (Stored([11], None, [0, 1, 2, 3], 4, Tier.ENGINE, [extra_key(cache_salt="tenantA")]),)),
    "adapter": KvBatch(1795967491.0, (Stored([12], None, [0, 1, 2, 3], 4, Tier.L1, [extra_key(lora="sql")]),)),
    "image": KvBatch(1795967491.0, (Stored([13], None, [0, 1, 2, 3], 4, Tier.ENGINE, [b"\x91\x92\xa5img-1\x02"]),)),
    "offloaded": KvBatch(1795967491.5, (Stored([7], None, [], 0, Tier.L1), Stored([7], None, [], 0, Tier.L2))),
    "removed": KvBatch(1795967492.0, (Removed([7], Tier.ENGINE), Removed([7], Tier.L1))),
    "second group": KvBatch(1795967492.0, ()),
    "cleared": KvBatch(1795967493.0, (Cleared(),)),
    "byte hashes": KvBatch(1795967494.0, (Stored([0x0101010101010101], 0x0202020202020202, [1, 2, 3, 4], 4, Tier.ENGINE),)),
    "nothing": KvBatch(1795967495.0, ()),
}


def test_every_recorded_payload_is_expected() -> None:
    assert RECORDED.keys() == EXPECTED.keys()


@pytest.mark.parametrize("name", RECORDED)
def test_a_recorded_payload_is_read_whole(name: str) -> None:
    assert Reader().read(base64.b64decode(RECORDED[name])) == EXPECTED[name]


def test_the_older_encoding_as_arrays_is_read_too() -> None:
    old = [1.5, [["BlockStored", [1], None, [5, 6], 2, None, "GPU"], ["BlockRemoved", [1]], ["AllBlocksCleared"]], 0]
    events = (Stored([1], None, [5, 6], 2, Tier.ENGINE), Removed([1], Tier.ENGINE), Cleared())
    assert Reader().read(msgspec.msgpack.encode(old)) == KvBatch(1.5, events)


@pytest.mark.parametrize(
    "payload",
    [
        b"",
        b"\xc1",
        msgspec.msgpack.encode({"ts": 1}),
        msgspec.msgpack.encode([1.0, [{"type": "BlockMoved"}]]),
        msgspec.msgpack.encode([1.0, [{"type": "BlockRemoved", "block_hashes": [-1.5]}]]),
        msgspec.msgpack.encode(
            [1.0, [{"type": "BlockStored", "block_hashes": [1], "parent_block_hash": None, "token_ids": [2**32], "block_size": 1}]]
        ),
    ],
)
def test_anything_else_is_a_format_error_without_its_content(payload: bytes) -> None:
    with pytest.raises(KvEventFormatError, match="KV events"):
        Reader().read(payload)


def adapters(*blocks: list[object] | None, parent: int | None = None, **fields: object) -> Sequence[bytes | None]:
    event: dict[str, object] = {
        "type": "BlockStored",
        "block_hashes": [*range(len(blocks))],
        "parent_block_hash": parent,
        "block_size": 1,
    }
    event |= {"token_ids": [1] * len(blocks), "extra_keys": list(blocks) if any(blocks) else None, **fields}
    (read,) = Reader().read(msgspec.msgpack.encode([1.0, [event], 0])).events
    assert isinstance(read, Stored)
    return read.extras


def test_an_adapters_name_parts_its_first_block_and_the_chain_carries_it_on() -> None:
    own = extra_key(lora="sql", cache_salt="t")
    assert adapters(["sql", "t"], ["sql"], lora_name="sql") == [own, None]
    assert adapters(["sql"], ["sql"], parent=7, lora_name="sql") == [None, None]
    assert adapters(None, None, lora_name="sql") == [extra_key(lora="sql"), None]
    assert adapters(["sql"], ["sql", ["image", 1]], lora_name="sql") == [extra_key(lora="sql"), b"\x91\x92\xa5image\x01"]


def test_an_adapter_is_neither_the_model_nor_a_tenant_of_the_same_name() -> None:
    assert len({extra_key(), extra_key(lora="sql"), extra_key(cache_salt="sql"), extra_key(lora="sql", cache_salt="sql")}) == 4


def test_an_adapter_of_which_only_the_number_is_told_is_not_taken_for_the_model() -> None:
    assert [extra is None for extra in adapters(None, None, lora_id=3)] == [False, True]


def test_a_plain_block_has_no_extra_key() -> None:
    assert extra_key(lora=None, cache_salt="") is None


def test_ranks_publish_at_ports_counted_up_from_the_first_s() -> None:
    assert [rank_endpoint("tcp://10.0.0.1:5557", rank) for rank in (0, 3)] == ["tcp://10.0.0.1:5557", "tcp://10.0.0.1:5560"]
    assert rank_endpoint("ipc:///run/e", 0) == "ipc:///run/e"


@pytest.mark.parametrize("endpoint", ["ipc:///run/e", "tcp://host", "ipc://5557:1"])
def test_ranks_of_other_endpoints_have_none(endpoint: str) -> None:
    with pytest.raises(ValueError, match="no endpoint for rank 1"):
        rank_endpoint(endpoint, 1)


def stored(group: int, kind: str | None, name: int, medium: str = "GPU") -> dict[str, object]:
    event: dict[str, object] = {"type": "BlockStored", "block_hashes": [name], "parent_block_hash": None, "token_ids": [name]}
    return event | {"block_size": 1, "medium": medium, "group_idx": group, "kv_cache_spec_kind": kind}


def removed(group: int, name: int) -> dict[str, object]:
    return {"type": "BlockRemoved", "block_hashes": [name], "medium": "GPU", "group_idx": group}


def names(reader: Reader, *events: dict[str, object]) -> list[int]:
    read = reader.read(msgspec.msgpack.encode([1.0, events])).events
    return [name for event in read if not isinstance(event, Cleared) for name in event.blocks]


def test_of_a_hybrid_model_the_first_group_of_full_attention_counts_wherever_it_is() -> None:
    reader = Reader()
    told = [stored(0, "sliding_window", 1), stored(1, "full_attention", 2), stored(2, "full_attention", 3), stored(3, "mamba", 4)]
    assert names(reader, *told) == [2]
    assert names(reader, removed(0, 1), removed(1, 2), removed(2, 3), stored(1, None, 5, "CPU"), stored(0, None, 6, "CPU")) == [
        2,
        5,
    ]


def test_without_any_kind_the_first_group_counts() -> None:
    assert names(Reader(), stored(0, None, 1), stored(1, None, 2), removed(0, 1), removed(1, 2)) == [1, 1]
