"""What engines of several versions say. Only 0.32 is recorded; other versions' lines are written down here."""

from dataclasses import replace

from stack.adapters.exposition import parse
from stack.engines.quantities import State
from stack.engines.samples import Histogram
from stack.engines.vllm import WANTED, EngineReading, Lookups, PromptTokens, read
from stack.engines.vllm_names import plain
from stack.engines.vllm_quantities import LOADED_BYTES
from stack.engines.vllm_transfers import Transfers
from stack.model.tier import Source, Tier
from tests.exporters.recorded import exposition


def reading(document: bytes) -> EngineReading:
    """Without what has tests of its own: phases, and how each quantity is known."""
    return replace(read(parse(document, WANTED)), preemptions=None, phases={}, quantities=())


def test_a_recorded_decode_engine_is_read_whole() -> None:
    assert reading(exposition("vllm-0.32-nixl-lmcache-decode")) == EngineReading(
        started=1.79596652865e09,
        prompt=PromptTokens(
            4981.0,
            {Source.COMPUTED: 0.0, Source.ENGINE: 0.0},
            {Source.L1: 0.0, Source.L2: 0.0, Source.PEER: 4981.0},
            0.0,
            Source.UNKNOWN,
        ),
        generated=228.0,
        running=0.0,
        waiting=0.0,
        lookups={Tier.ENGINE: Lookups(4981.0, 0.0)},
        used_ratio={Tier.ENGINE: 0.0},
        capacity_bytes=220_000_000.0,
        transfers=(
            Transfers(
                "nixl",
                "receive",
                235_929_600.0,
                Histogram(
                    (
                        ("0.005", 0.0), ("0.01", 0.0), ("0.025", 4.0), ("0.05", 5.0), ("0.075", 5.0), ("0.1", 5.0), ("0.2", 5.0),
                        ("0.3", 5.0), ("0.5", 5.0), ("0.75", 5.0), ("1.0", 5.0), ("5.0", 5.0), ("+Inf", 5.0),
                    ),
                    0.08595,
                    5.0,
                ),
                {"transfer": 0.0, "expired": 0.0, "late_notification": 0.0},
            ),
        ),
    )  # fmt: skip


def test_a_plain_engine_has_no_transfers() -> None:
    plain = reading(exposition("vllm-0.32-plain"))
    assert plain.transfers == ()
    assert plain.lookups == {Tier.ENGINE: Lookups(5800.0, 0.0)}


def test_native_offloading_names_its_tiers() -> None:
    tiered = reading(exposition("vllm-0.32-native-tiering"))
    assert tiered.prompt is not None
    assert tiered.prompt.admitted == {Source.L1: 1792.0, Source.L2: 1792.0, Source.PEER: 0.0}
    assert tiered.lookups == {
        Tier.ENGINE: Lookups(28000.0, 1984.0),
        Tier.L1: Lookups(26016.0, 1792.0),
        Tier.L2: Lookups(24224.0, 1792.0),
    }
    assert tiered.used_ratio.keys() == {Tier.ENGINE, Tier.L1}


def test_ranks_are_summed_and_their_usage_averaged() -> None:
    both = reading(
        b"""vllm:prompt_tokens_total{engine="0",model_name="m"} 100
vllm:prompt_tokens_total{engine="1",model_name="m"} 50
vllm:num_requests_running{engine="0",model_name="m"} 2
vllm:num_requests_running{engine="1",model_name="m"} 1
vllm:kv_cache_usage_perc{engine="0",model_name="m"} 0.2
vllm:kv_cache_usage_perc{engine="1",model_name="m"} 0.6
vllm:cache_config_info{engine="0",kv_cache_memory_bytes="1000"} 1
vllm:cache_config_info{engine="1",kv_cache_memory_bytes="1000"} 1
"""
    )
    assert (both.prompt, both.running, both.used_ratio, both.capacity_bytes) == (
        PromptTokens(150.0),
        3.0,
        {Tier.ENGINE: 0.4},
        2000.0,
    )


def test_a_capacity_that_is_not_given_in_bytes_is_unknown() -> None:
    assert (
        reading(b'vllm:cache_config_info{engine="0",kv_cache_memory_bytes="None",num_gpu_blocks="74"} 1\n').capacity_bytes is None
    )
    assert reading(b'vllm:cache_config_info{engine="0",num_gpu_blocks="74"} 1\n').capacity_bytes is None


def test_since_0_16_three_sources_are_counted_and_loads_name_no_tier() -> None:
    older = reading(
        b"""vllm:prompt_tokens_total{engine="0"} 1000
vllm:prompt_tokens_by_source_total{engine="0",source="local_compute"} 500
vllm:prompt_tokens_by_source_total{engine="0",source="local_cache_hit"} 200
vllm:prompt_tokens_by_source_total{engine="0",source="external_kv_transfer"} 300
vllm:external_prefix_cache_hits_total{engine="0"} 320
"""
    )
    assert older.prompt == PromptTokens(1000.0, {Source.COMPUTED: 500.0, Source.ENGINE: 200.0}, {}, 320.0)


def test_before_0_16_the_hit_counters_explain_what_was_not_computed() -> None:
    old = reading(
        b"""vllm:prompt_tokens_total{engine="0"} 1000
vllm:prefix_cache_queries_total{engine="0"} 1000
vllm:prefix_cache_hits_total{engine="0"} 200
vllm:external_prefix_cache_queries_total{engine="0"} 800
vllm:external_prefix_cache_hits_total{engine="0"} 300
vllm:gpu_cache_usage_perc{engine="0"} 0.5
"""
    )
    assert old.prompt == PromptTokens(1000.0, {}, {Source.ENGINE: 200.0}, 300.0, Source.COMPUTED)
    assert old.lookups == {Tier.ENGINE: Lookups(1000.0, 200.0)}


def test_0_8_counted_blocks_and_so_its_tokens_are_unknown() -> None:
    ancient = reading(
        b"""vllm:prompt_tokens_total{engine="0"} 1000
vllm:gpu_prefix_cache_queries_total{engine="0"} 62
vllm:gpu_prefix_cache_hits_total{engine="0"} 12
vllm:gpu_cache_usage_perc{engine="0"} 0.5
"""
    )
    assert (ancient.prompt, ancient.lookups, ancient.used_ratio) == (PromptTokens(1000.0), {}, {Tier.ENGINE: 0.5})


def test_a_source_without_a_number_makes_all_of_them_unknown() -> None:
    lines = b"""vllm:prompt_tokens_total{engine="0"} 100
vllm:prompt_tokens_by_source_total{engine="0",source="local_compute"} NaN
vllm:prompt_tokens_by_source_total{engine="0",source="local_cache_hit"} 60
vllm:prompt_tokens_by_source_total{engine="0",source="external_kv_transfer"} 0
"""
    assert reading(lines).prompt == PromptTokens(100.0)


def test_a_share_of_more_than_one_is_unknown() -> None:
    lines = b"""vllm:kv_cache_usage_perc{engine="0"} 42
vllm:kv_offload_cpu_cache_usage_perc{engine="0"} 0.4
"""
    assert reading(lines).used_ratio == {Tier.L1: 0.4}


def test_mooncake_is_a_transport_of_its_own() -> None:
    [transfers] = reading(
        b"""vllm:mooncake_xfer_time_seconds_sum{engine="0"} 2.5
vllm:mooncake_xfer_time_seconds_count{engine="0"} 5
vllm:mooncake_bytes_transferred_sum{engine="0"} 1000
vllm:mooncake_num_failed_transfers_total{engine="0"} 1
"""
    ).transfers
    assert transfers == Transfers("mooncake", "receive", 1000.0, Histogram((), 2.5, 5.0), {"transfer": 1.0})


def test_an_engine_that_says_nothing_is_all_unknown() -> None:
    assert reading(b"python_gc_objects_collected_total 5\n") == EngineReading(None, None, None, None, None, {}, {}, None, ())


def test_the_phases_of_requests_and_preemptions_are_read() -> None:
    plain = read(parse(exposition("vllm-0.32-plain"), WANTED))
    assert plain.preemptions == 0.0
    assert {phase: took.count for phase, took in plain.phases.items()} == {"queue": 10.0, "prefill": 10.0, "decode": 10.0}


def test_with_its_version_0_8_s_blocks_are_told_in_tokens() -> None:
    document = b"""vllm:prompt_tokens_total{engine="0"} 1000
vllm:gpu_prefix_cache_queries_total{engine="0"} 62
vllm:gpu_prefix_cache_hits_total{engine="0"} 12
vllm:cache_config_info{engine="0",block_size="16"} 1
"""
    ancient = read(parse(document, WANTED), (0, 8, 5))
    assert ancient.lookups == {Tier.ENGINE: Lookups(992.0, 192.0)}


def test_what_both_names_of_offloading_count_is_not_added() -> None:
    tiered = read(parse(exposition("vllm-0.32-native-tiering"), WANTED), (0, 32))
    assert [(moved.transport, moved.direction, moved.bytes) for moved in tiered.transfers if moved.transport == "offload"] == [
        ("offload", "load", 165_150_720.0),
        ("offload", "store", 908_328_960.0),
    ]
    [load] = [one for one in tiered.quantities if one.quantity is LOADED_BYTES]
    assert (load.state, load.source) == (State.PRESENT, "vllm:kv_offload_load_bytes_total")


def test_older_offloading_is_told_by_its_transfer_type() -> None:
    old = read(
        parse(
            b"""vllm:kv_offload_total_bytes_total{engine="0",transfer_type="CPU_to_GPU"} 70
vllm:kv_offload_total_bytes_total{engine="0",transfer_type="GPU_to_CPU"} 90
vllm:kv_offload_total_time_total{engine="0",transfer_type="CPU_to_GPU"} 0.5
""",
            WANTED,
        ),
        (0, 20, 2),
    )
    assert old.transfers == (
        Transfers("offload", "load", 70.0, busy_seconds=0.5),
        Transfers("offload", "store", 90.0),
    )


def test_a_prefix_of_others_before_the_names_is_taken_away() -> None:
    assert plain(b"ray_vllm_num_requests_running 1\nray_vllm:x 2\nkserve_vllm:y 3\nz 4\n") == (
        b"vllm:num_requests_running 1\nvllm:x 2\nvllm:y 3\nz 4\n"
    )
