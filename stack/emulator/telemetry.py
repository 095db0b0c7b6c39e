"""What happens in an emulated engine, told in vLLM's metric names."""

from __future__ import annotations

from stack.emulator.exposition import Sheet
from stack.emulator.profiles import Profile
from stack.emulator.sequence import Sequence
from stack.engines import vllm_names as names

_PRIMARY, _SECONDARY = "0:primary", "1:fs"
_REASONS = ("stop", "length", "abort", "error", "repetition")
_CACHED = ("device", "host", "p2p", "disk", "external_unspecified")
_SOURCES = ("local_compute", "local_cache_hit", "external_kv_transfer")


class Telemetry:
    """Writes one engine's sheet. Times are seconds, sizes bytes or tokens as the names say."""

    def __init__(self, model_name: str, profile: Profile) -> None:
        families = (*names.CORE, *names.NIXL, *names.OFFLOAD)
        self.sheet = Sheet(families, {"engine": "0", "model_name": model_name}, profile.max_model_len)
        self._profile = profile
        for family, labels in (
            (names.PROMPT_TOKENS_BY_SOURCE, _SOURCES),
            (names.PROMPT_TOKENS_CACHED_BY_SOURCE, _CACHED),
            (names.REQUEST_SUCCESS, _REASONS),
        ):
            for label in labels:
                self.sheet.touch(family, label)

    def admitted(self, sequence: Sequence) -> None:
        """The request starts: all its cached tokens are here."""
        prompt, origin = len(sequence.prompt), sequence.origin
        add = self.sheet.add
        add(names.PREFIX_CACHE_QUERIES, prompt)
        add(names.PREFIX_CACHE_HITS, origin.device)
        add(names.EXTERNAL_PREFIX_CACHE_QUERIES, prompt - origin.device)
        add(names.EXTERNAL_PREFIX_CACHE_HITS, origin.external)
        by_tier = (origin.device, origin.host, origin.peer, origin.disk)
        for label, tokens in zip(_CACHED, by_tier, strict=False):
            add(names.PROMPT_TOKENS_CACHED_BY_SOURCE, tokens, label)

    def stepped(self, tokens: int) -> None:
        self.sheet.observe(names.ITERATION_TOKENS, tokens)

    def preempted(self) -> None:
        self.sheet.add(names.NUM_PREEMPTIONS, 1)

    def token(self, sequence: Sequence, now: float) -> None:
        """A token came out; called before `sequence.times` takes it in."""
        self.sheet.add(names.GENERATION_TOKENS, 1)
        if sequence.times.last_token is None:
            self._first_token(sequence, now)
        else:
            self.sheet.observe(names.INTER_TOKEN_LATENCY_SECONDS, now - sequence.times.last_token)

    def _first_token(self, sequence: Sequence, now: float) -> None:
        add, origin = self.sheet.add, sequence.origin
        add(names.PROMPT_TOKENS, len(sequence.prompt))
        add(names.PROMPT_TOKENS_CACHED, origin.device + origin.external)
        for label, tokens in zip(_SOURCES, (origin.computed, origin.device, origin.external), strict=True):
            add(names.PROMPT_TOKENS_BY_SOURCE, tokens, label)
        self.sheet.observe(names.TIME_TO_FIRST_TOKEN_SECONDS, now - sequence.times.arrived)

    def finished(self, sequence: Sequence, reason: str) -> None:
        """The request is over; `reason` is stop, length or abort."""
        self.sheet.add(names.REQUEST_SUCCESS, 1, reason)
        observe = self.sheet.observe
        observe(names.REQUEST_PROMPT_TOKENS, len(sequence.prompt))
        observe(names.REQUEST_GENERATION_TOKENS, sequence.generated)
        observe(names.REQUEST_MAX_NUM_GENERATION_TOKENS, sequence.generated)
        observe(names.REQUEST_PARAMS_N, 1)
        observe(names.REQUEST_PARAMS_MAX_TOKENS, sequence.max_tokens)
        observe(names.REQUEST_NUM_PREEMPTIONS, sequence.preemptions)
        observe(names.REQUEST_PREFILL_KV_COMPUTED_TOKENS, sequence.origin.computed)
        self._durations(sequence)

    def _durations(self, sequence: Sequence) -> None:
        times, observe = sequence.times, self.sheet.observe
        if times.scheduled is None or times.first_token is None or times.last_token is None:
            return
        observe(names.E2E_REQUEST_LATENCY_SECONDS, times.last_token - times.arrived)
        observe(names.REQUEST_QUEUE_TIME_SECONDS, times.scheduled - times.arrived)
        observe(names.REQUEST_INFERENCE_TIME_SECONDS, times.last_token - times.scheduled)
        observe(names.REQUEST_PREFILL_TIME_SECONDS, times.first_token - times.scheduled)
        observe(names.REQUEST_DECODE_TIME_SECONDS, times.last_token - times.first_token)
        if sequence.generated > 1:
            gap = (times.last_token - times.first_token) / (sequence.generated - 1)
            observe(names.REQUEST_TIME_PER_OUTPUT_TOKEN_SECONDS, gap)

    def looked_up(self, queries: int, l1_hits: int, l2_hits: int) -> None:
        """The tiers were asked for `queries` blocks; what L1 lacks is asked of L2."""
        self.sheet.add(names.KV_OFFLOAD_TIERING_CHUNK_QUERIES, queries, _PRIMARY)
        self.sheet.add(names.KV_OFFLOAD_TIERING_CHUNK_HITS, l1_hits, _PRIMARY)
        self.sheet.add(names.KV_OFFLOAD_TIERING_CHUNK_QUERIES, queries - l1_hits, _SECONDARY)
        self.sheet.add(names.KV_OFFLOAD_TIERING_CHUNK_HITS, l2_hits, _SECONDARY)

    def loaded(self, l1_blocks: int, l2_blocks: int) -> None:
        """Blocks came from the tiers; those of L2 passed through host memory first."""
        profile, add = self._profile, self.sheet.add
        size = (l1_blocks + l2_blocks) * profile.block_bytes
        seconds = profile.load_duration((l1_blocks + l2_blocks) * profile.block_size, 0)
        add(names.KV_OFFLOAD_LOAD_BYTES, size)
        add(names.KV_OFFLOAD_LOAD_TIME, seconds)
        self.sheet.observe(names.KV_OFFLOAD_LOAD_SIZE, size)
        self._both_ways("CPU_to_GPU", size, seconds)
        if l2_blocks:
            add(names.KV_OFFLOAD_TIERING_READ_BYTES, l2_blocks * profile.block_bytes, _SECONDARY)
            add(names.KV_OFFLOAD_TIERING_READ_TIME, profile.load_duration(0, l2_blocks * profile.block_size), _SECONDARY)

    def offloaded(self, l1_blocks: int, l2_blocks: int) -> None:
        """Blocks were written to the tiers."""
        profile, add = self._profile, self.sheet.add
        if l1_blocks:
            size, seconds = l1_blocks * profile.block_bytes, profile.load_duration(l1_blocks * profile.block_size, 0)
            add(names.KV_OFFLOAD_STORE_BYTES, size)
            add(names.KV_OFFLOAD_STORE_TIME, seconds)
            self.sheet.observe(names.KV_OFFLOAD_STORE_SIZE, size)
            self._both_ways("GPU_to_CPU", size, seconds)
        if l2_blocks:
            add(names.KV_OFFLOAD_TIERING_WRITE_BYTES, l2_blocks * profile.block_bytes, _SECONDARY)
            add(names.KV_OFFLOAD_TIERING_WRITE_TIME, profile.load_duration(0, l2_blocks * profile.block_size), _SECONDARY)

    def _both_ways(self, direction: str, size: int, seconds: float) -> None:
        self.sheet.add(names.KV_OFFLOAD_TOTAL_BYTES, size, direction)
        self.sheet.add(names.KV_OFFLOAD_TOTAL_TIME, seconds, direction)
        self.sheet.observe(names.KV_OFFLOAD_SIZE, size, direction)

    def transferred(self, tokens: int, seconds: float) -> None:
        """KV of `tokens` tokens came from a peer."""
        blocks = -(-tokens // self._profile.block_size)
        self.sheet.observe(names.NIXL_XFER_TIME_SECONDS, seconds)
        self.sheet.observe(names.NIXL_POST_TIME_SECONDS, self._profile.transfer_setup_seconds)
        self.sheet.observe(names.NIXL_BYTES_TRANSFERRED, tokens * self._profile.kv_bytes_per_token)
        self.sheet.observe(names.NIXL_NUM_DESCRIPTORS, blocks)

    def transfer_failed(self) -> None:
        self.sheet.add(names.NIXL_NUM_FAILED_TRANSFERS, 1)

    def lease_expired(self) -> None:
        self.sheet.add(names.NIXL_NUM_KV_EXPIRED_REQS, 1)

    def notified_after_expiry(self) -> None:
        self.sheet.add(names.NIXL_NUM_NOTIFICATIONS_AFTER_EXPIRY, 1)
