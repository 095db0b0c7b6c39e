"""KV on the move: between engines, and to and from what lies behind them."""

import pytest

from stack.adapters.exposition import parse
from stack.engines.samples import Histogram
from stack.engines.vllm import WANTED, read
from stack.engines.vllm_transfers import Transfers
from stack.model.tier import Tier
from tests.exporters.recorded import exposition


def transfers(document: bytes) -> list[Transfers]:
    return list(read(parse(document, WANTED), (0, 33, 0)).transfers)


def test_recorded_tiers_behind_the_host_s_memory_are_a_hop_of_their_own() -> None:
    found = [one for one in transfers(exposition("vllm-0.32-native-tiering")) if one.transport == "offload_tier"]
    assert [(one.direction, one.failures) for one in found] == [("load", {}), ("store", {})]
    assert all(one.bytes and one.busy_seconds for one in found)


def test_bandwidth_of_tiers_is_unknown_while_one_of_them_times_nothing() -> None:
    document = b"""vllm:kv_offload_tiering_read_bytes_total{tier="1:a"} 70
vllm:kv_offload_tiering_read_bytes_total{tier="2:b"} 30
vllm:kv_offload_tiering_read_time_total{tier="1:a"} 5
vllm:kv_offload_tiering_promotion_job_failures_total{tier="1:a"} 2
"""
    assert transfers(document) == [Transfers("offload_tier", "load", 100.0, failures={"promotion": 2.0})]


def test_a_mooncake_store_s_gets_and_puts_are_told_apart() -> None:
    document = b"""vllm:mooncake_store_operation_bytes_total{operation="load_get",status="ok"} 70
vllm:mooncake_store_operation_bytes_total{operation="save_put",status="ok"} 90
vllm:mooncake_store_operation_time_seconds_sum{operation="load_get",status="ok"} 0.5
vllm:mooncake_store_operation_failed_keys_total{operation="save_put",status="error"} 3
"""
    found = read(parse(document, WANTED), (0, 33, 0))
    assert found.transfers == (
        Transfers("mooncake_store", "load", 70.0, busy_seconds=0.5),
        Transfers("mooncake_store", "store", 90.0),
    )
    assert found.allocation_failures == {(Tier.L2, "put"): 3.0}


@pytest.mark.parametrize(
    ("failed", "completed", "doubtful"),
    [(17_960, 0, True), (100, 1, True), (10, 0, True), (9, 0, None), (0, 0, None), (98, 2, False), (0, 500, False)],
)
def test_failures_that_are_nearly_all_there_is_are_doubted(failed: int, completed: int, doubtful: bool | None) -> None:
    seconds = Histogram((), 0.1 * completed, completed)
    assert Transfers("nixl", "receive", 0.0, seconds, {"transfer": failed}).failures_doubtful is doubtful


def test_failures_without_completions_to_compare_with_are_not_judged() -> None:
    assert Transfers("nixl", "receive", 0.0, None, {"transfer": 50.0}).failures_doubtful is None
    assert Transfers("mooncake", "receive", 0.0, Histogram((), 0.0, 0.0), {"transfer": 50.0}).failures_doubtful is None
