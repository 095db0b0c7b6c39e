import json
from pathlib import Path

import pytest

from stack.adapters.exposition import parse
from stack.engines.lmcache import WANTED, ServerReading, TierHits, l1_capacity_bytes, read
from tests.exporters.recorded import DATA, exposition


def reading(document: bytes) -> ServerReading:
    return read(parse(document, WANTED))


def test_a_recorded_server_is_read_whole() -> None:
    assert reading(exposition("lmcache-0.5.6-mp-server")) == ServerReading(
        started=1.7959674725e09,
        hits={"/models/smollm2": TierHits(28928.0, 4864.0, 3072.0)},
        l1_used_bytes=412_876_800.0,
        l1_used_ratio=0.76904296875,
        l1_evicted_chunks=59.0,
        has_l2=True,
    )


def test_salts_are_summed_and_models_kept_apart() -> None:
    server = reading(
        b"""lmcache_mp_lookup_requested_tokens_total{cache_salt="a",model_name="/m"} 512
lmcache_mp_lookup_requested_tokens_total{cache_salt="b",model_name="/m"} 256
lmcache_mp_lookup_requested_tokens_total{cache_salt="a",model_name="/n"} 256
lmcache_mp_lookup_hit_l1_tokens_total{cache_salt="a",model_name="/m"} 256
"""
    )
    assert server.hits == {"/m": TierHits(768.0, 256.0, None), "/n": TierHits(256.0, None, None)}
    assert server.has_l2 is False


def test_before_the_first_lookup_nothing_is_said_of_hits() -> None:
    assert reading(b"process_start_time_seconds 1\n") == ServerReading(1.0, {}, None, None, None, has_l2=False)


def test_a_server_that_evicted_nothing_so_far_says_so_by_its_eviction_loop() -> None:
    assert reading(b"lmcache_mp_l1_eviction_loop_ticks_total 5\n").l1_evicted_chunks == 0.0


def test_the_size_of_l1_is_in_the_status() -> None:
    assert l1_capacity_bytes(json.loads(Path(DATA / "lmcache_status.json").read_text())) == 536_870_912.0


@pytest.mark.parametrize(
    "status",
    [None, [], {}, {"storage_manager": None}, {"storage_manager": {"l1_usage": [1]}}, {"storage_manager": {"l1_usage": [0, 0]}}],
)
def test_a_status_of_another_shape_says_nothing(status: object) -> None:
    assert l1_capacity_bytes(status) is None
