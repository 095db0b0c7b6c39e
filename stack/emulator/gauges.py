"""The part of an engine's exposition that is read when it is scraped, not counted as it happens."""

from __future__ import annotations

from collections.abc import Iterator

from stack.emulator.exposition import Sheet
from stack.emulator.loads import Loads
from stack.emulator.memory import Memory
from stack.emulator.profiles import Profile
from stack.emulator.scheduler import Scheduler
from stack.engines import vllm_names as names


class Exposition:
    """One engine's /metrics."""

    def __init__(self, sheet: Sheet, scheduler: Scheduler, loads: Loads, memory: Memory, started: float) -> None:
        self._sheet = sheet
        self._scheduler = scheduler
        self._loads = loads
        self._memory = memory
        self._started = started

    def text(self) -> str:
        """The whole exposition, in Prometheus' text format."""
        self._refresh()
        return "\n".join([*self._process(), *self._sheet.render(), ""])

    def _process(self) -> Iterator[str]:
        yield "# An emulated engine: no model ran for these numbers."
        yield "# HELP process_start_time_seconds Start time of the process since unix epoch in seconds."
        yield "# TYPE process_start_time_seconds gauge"
        yield f"process_start_time_seconds {self._started}"

    def _refresh(self) -> None:
        queued, loading, landed = len(self._scheduler.waiting), len(self._loads.pending), len(self._scheduler.landed)
        put = self._sheet.set
        put(names.NUM_REQUESTS_RUNNING, len(self._scheduler.running))
        put(names.NUM_REQUESTS_WAITING, queued + loading + landed)
        put(names.NUM_REQUESTS_WAITING_BY_REASON, queued, "capacity")
        put(names.NUM_REQUESTS_WAITING_BY_REASON, loading + landed, "deferred")
        put(names.NUM_REQUESTS_KV_FETCH_BY_STAGE, 0, "waiting_to_start")
        put(names.NUM_REQUESTS_KV_FETCH_BY_STAGE, loading, "in_progress")
        put(names.NUM_REQUESTS_KV_FETCH_BY_STAGE, landed, "completed_waiting")
        put(names.KV_CACHE_USAGE_PERC, self._memory.pool.used_ratio)


def cache_config(profile: Profile) -> dict[str, str]:
    """Labels of the engine's info series, as far as they are true of an emulated engine."""
    tokens = (profile.engine_blocks) * profile.block_size
    return {
        "block_size": str(profile.block_size),
        "effective_attention_block_size": str(profile.block_size),
        "cache_dtype": "auto",
        "enable_prefix_caching": "True",
        "kv_cache_max_concurrency": str(tokens / profile.max_model_len),
        "kv_cache_memory_bytes": str(profile.engine_blocks * profile.block_bytes),
        "kv_cache_size_tokens": str(tokens),
        "kv_offloading_backend": "native",
        "kv_offloading_size": str(profile.l1_blocks * profile.block_bytes / (1 << 30)),
        "num_gpu_blocks": str(profile.engine_blocks),
        "prefix_caching_hash_algo": "sha256_cbor",
        "user_specified_block_size": "True",
    }
