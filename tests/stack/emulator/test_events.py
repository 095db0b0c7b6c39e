import base64
import json
from pathlib import Path

import msgspec

from stack.emulator.events import AllBlocksCleared, Batch, BlockRemoved, Journal, Medium
from stack.engines.vllm_events import Reader, extra_key
from stack.model.kv_event import Cleared, Removed, Stored
from stack.model.tier import Tier

RECORDED = json.loads((Path(__file__).parents[2] / "data" / "vllm_kv_event_payloads.json").read_text())


def journal() -> Journal:
    return Journal(4, lambda: None)


def encoded(written: Journal) -> bytes:
    batch = written.take(1795967491.5)
    assert batch is not None
    return msgspec.msgpack.encode(batch)


def test_offloaded_blocks_are_encoded_as_the_real_engine_does() -> None:
    written = journal()
    written.offloaded(Medium.CPU, [7])
    written.offloaded(Medium.STORAGE, [7])
    theirs = msgspec.msgpack.decode(base64.b64decode(RECORDED["offloaded"]))
    ours = msgspec.msgpack.decode(encoded(written))
    del theirs[1][1]["ownership"]  # the recorded tier names itself
    assert ours == theirs


def test_a_stored_block_has_the_real_engines_fields() -> None:
    written = journal()
    written.stored([9], 7, [8, 9, 10, 11], None)
    theirs = msgspec.msgpack.decode(base64.b64decode(RECORDED["follows"]))[1][0]
    ours = msgspec.msgpack.decode(encoded(written))[1][0]
    assert ours == theirs | {"kv_cache_spec_kind": "full_attention"}


def test_the_routers_reader_understands_every_event() -> None:
    written = journal()
    written.stored([5, 6], None, list(range(8)), None)
    written.offloaded(Medium.STORAGE, [6])
    written.removed(Medium.CPU, [1, 2])
    written.cleared()
    assert Reader().read(encoded(written)).events == (
        Stored([5, 6], None, list(range(8)), 4, Tier.ENGINE, [None, None]),
        Stored([6], None, [], 0, Tier.L2),
        Removed([1, 2], Tier.L1),
        Cleared(),
    )


def test_only_the_first_block_of_a_prompt_is_salted() -> None:
    written = journal()
    written.stored([5, 6], None, list(range(8)), "tenantA")
    written.stored([7], 6, list(range(4)), "tenantA")
    first, second = msgspec.msgpack.decode(encoded(written))[1]
    assert (first["extra_keys"], second["extra_keys"]) == ([["tenantA"], None], [None])


def test_an_adapters_name_is_in_each_of_its_blocks_as_the_real_engine_has_it() -> None:
    written = journal()
    written.stored([5, 6], None, list(range(8)), "tenantA", "sql")
    written.stored([7], 6, list(range(4)), None, "sql")
    payload = encoded(written)
    first, second = msgspec.msgpack.decode(payload)[1]
    assert (first["lora_name"], first["extra_keys"]) == ("sql", [["sql", "tenantA"], ["sql"]])
    assert (second["lora_name"], second["extra_keys"]) == ("sql", [["sql"]])
    own = extra_key(lora="sql", cache_salt="tenantA")
    assert [event.extras for event in Reader().read(payload).events if isinstance(event, Stored)] == [[own, None], [None]]


def test_the_engines_own_blocks_are_removed_one_by_one_and_others_together() -> None:
    written = journal()
    written.removed(Medium.GPU, [1, 2])
    written.removed(Medium.CPU, [3, 4])
    batch = written.take(0.0)
    assert batch == Batch(
        0.0,
        [
            BlockRemoved(block_hashes=[1], medium=Medium.GPU, group_idx=0),
            BlockRemoved(block_hashes=[2], medium=Medium.GPU, group_idx=0),
            BlockRemoved(block_hashes=[3, 4], medium=Medium.CPU, group_idx=0),
        ],
        0,
    )


def test_it_wakes_its_reader_once_for_all_that_waits() -> None:
    woken: list[None] = []
    written = Journal(4, lambda: woken.append(None))
    written.cleared()
    written.cleared()
    assert len(woken) == 1
    assert written.take(0.0) == Batch(0.0, [AllBlocksCleared(), AllBlocksCleared()], 0)
    assert written.take(0.0) is None
