import json
from pathlib import Path

import pytest

from stack.engines.lmcache_events import CacheEventFormatError, batches, registration
from stack.model.chunk import CacheBatch, Chunk, Part
from stack.model.tier import Tier

RECORDED = json.loads((Path(__file__).parents[2] / "data" / "lmcache_reports.json").read_bytes())
REQUESTS = [(request["path"], json.dumps(request["body"]).encode()) for request in RECORDED["requests"]]


def test_what_a_server_reported_of_one_prompt() -> None:
    first, second = (bytes.fromhex(name) for name in RECORDED["chunk_names"])
    found = batches(REQUESTS[2][1])[0]
    assert (found.server, found.sequence, found.tier, found.held) == ("lmcache", 3, Tier.L1, True)
    assert found.parts[:2] == [Part(Chunk("/models/smollm2", "", name), 0x1000100, 0) for name in (first, second)]


def test_stores_deletes_and_loads_from_l2_tell_of_contents_and_nothing_else_does() -> None:
    told = [(batch.sequence, batch.tier, batch.held) for path, body in REQUESTS if path == "/events" for batch in batches(body)]
    assert told == [
        (1, Tier.L1, None), (2, Tier.L2, None),
        (3, Tier.L1, True), (4, Tier.L1, None),
        (5, Tier.L2, True),
        (18, Tier.L1, True), (19, Tier.L1, None), (20, Tier.L1, False),
        (30, Tier.L1, None), (31, Tier.L2, True), (32, Tier.L1, False), (33, Tier.L2, True),
        (38, Tier.L1, False),
        (47, Tier.L1, True), (48, Tier.L2, True), (49, Tier.L1, None),
    ]  # fmt: skip


def test_a_salted_chunk_keeps_its_salt() -> None:
    assert {part.chunk.salt for part in batches(REQUESTS[-1][1])[0].parts} == {"tenantA"}


def test_a_registration_says_where_the_server_answers() -> None:
    found = registration(REQUESTS[0][1])
    assert (found.instance_id, found.ip, found.http_port) == ("lmcache", "127.0.0.1", 8280)


def test_an_event_of_a_later_version_is_counted_in_the_sequence_and_says_nothing() -> None:
    body = b'{"batches": [{"instance_id": "a", "incarnation": 1, "seq": 9, "event_type": "pinned", "tier": "l1", "new": [1]}]}'
    assert batches(body) == [CacheBatch("a", 1, 9, Tier.L1, None, ())]


@pytest.mark.parametrize(
    "body",
    [
        b"", b"\xff", b"[]", b'{"batches": [{}]}', b'{"batches": ' + b"[" * 100_000,
        b'{"batches": [{"instance_id": "a", "incarnation": 1, "seq": 1, "event_type": "store", "tier": "l3"}]}',
        b'{"batches": [{"instance_id": "a", "incarnation": 1, "seq": 1, "event_type": "store", "tier": "l1",'
        b' "entries": [{"key": {"chunk_hash_hex": "xy", "model_name": "m"}}]}]}',
    ],
)  # fmt: skip
def test_what_is_no_report_is_refused(body: bytes) -> None:
    with pytest.raises(CacheEventFormatError):
        batches(body)
    with pytest.raises(CacheEventFormatError):
        registration(body)
