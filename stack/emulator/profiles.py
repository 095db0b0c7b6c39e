"""The named rates that an emulated engine keeps time by. Nothing outside the emulator knows them."""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """One kind of engine: sizes in tokens or blocks of `block_size` tokens, durations in seconds, rates per second.

    `basis` says whether the numbers were measured or estimated, and from what. `engine_blocks` counts the
    engine's reserved null block as the engine itself does, so one less can be used. `l1_blocks` is one node's
    host memory, shared by the `engines_per_node` engines on it; `l2_blocks` is shared by all engines.
    """

    name: str
    basis: str
    max_model_len: int
    engine_blocks: int
    l1_blocks: int
    l2_blocks: int
    engines_per_node: int
    max_num_seqs: int
    max_num_batched_tokens: int
    kv_bytes_per_token: int
    prefill_tokens_per_second: float
    step_seconds: float
    decode_seconds_per_sequence: float
    l1_tokens_per_second: float
    l2_tokens_per_second: float
    transfer_bytes_per_second: float
    transfer_setup_seconds: float
    unreachable_seconds: float = 5.0
    lease_seconds: float = 30.0
    block_size: int = 64

    def scaled(self, time_scale: float) -> Profile:
        """The same engine with every duration multiplied by `time_scale`; the lease stays what it is on the wall clock."""
        return replace(
            self,
            prefill_tokens_per_second=self.prefill_tokens_per_second / time_scale,
            step_seconds=self.step_seconds * time_scale,
            decode_seconds_per_sequence=self.decode_seconds_per_sequence * time_scale,
            l1_tokens_per_second=self.l1_tokens_per_second / time_scale,
            l2_tokens_per_second=self.l2_tokens_per_second / time_scale,
            transfer_bytes_per_second=self.transfer_bytes_per_second / time_scale,
            transfer_setup_seconds=self.transfer_setup_seconds * time_scale,
            unreachable_seconds=self.unreachable_seconds * time_scale,
        )

    def step_duration(self, prefill_tokens: int, decoding: int) -> float:
        """Seconds one engine step takes that computes `prefill_tokens` and one token for each of `decoding` sequences."""
        compute = prefill_tokens / self.prefill_tokens_per_second
        return self.step_seconds + compute + decoding * self.decode_seconds_per_sequence

    def load_duration(self, l1_tokens: int, l2_tokens: int) -> float:
        """Seconds to bring tokens from host memory and from the shared store into the engine."""
        return l1_tokens / self.l1_tokens_per_second + l2_tokens / self.l2_tokens_per_second

    def transfer_duration(self, tokens: int) -> float:
        """Seconds to pull `tokens` from another engine."""
        return self.transfer_setup_seconds + tokens * self.kv_bytes_per_token / self.transfer_bytes_per_second

    @property
    def block_bytes(self) -> int:
        return self.block_size * self.kv_bytes_per_token


_LAPTOP = Profile(
    name="laptop-smollm2",
    basis="measured: SmolLM2-135M at float32, vLLM 0.32 CPU build, one core an engine, LMCache on the same machine",
    max_model_len=4096,
    engine_blocks=74,
    l1_blocks=169,  # 0.5 GB
    l2_blocks=678,  # 2 GB
    engines_per_node=1_000,
    max_num_seqs=128,
    max_num_batched_tokens=2048,
    kv_bytes_per_token=46_080,
    prefill_tokens_per_second=640,
    step_seconds=0.024,
    decode_seconds_per_sequence=0.004,
    l1_tokens_per_second=22_000,
    l2_tokens_per_second=11_000,
    transfer_bytes_per_second=3e9,
    transfer_setup_seconds=0.008,
)
_H100_8B = Profile(
    name="h100-llama8b-tp1",
    basis="estimate: Llama 3.1 8B bf16 on one H100 80GB at 45 % of peak FLOP/s, 70 % of peak bandwidth; eight engines a node",
    max_model_len=131_072,
    engine_blocks=6_200,
    l1_blocks=122_000,  # 1 TB of host memory a node
    l2_blocks=1_200_000,  # 10 TB
    engines_per_node=8,
    max_num_seqs=256,
    max_num_batched_tokens=8192,
    kv_bytes_per_token=131_072,
    prefill_tokens_per_second=28_000,
    step_seconds=0.007,
    decode_seconds_per_sequence=0.00004,
    l1_tokens_per_second=190_000,  # 25 GB/s over PCIe 5
    l2_tokens_per_second=38_000,  # 5 GB/s from the store
    transfer_bytes_per_second=20e9,
    transfer_setup_seconds=0.002,
)
_H100_70B = Profile(
    name="h100-llama70b-tp8",
    basis="estimate: Llama 3.1 70B bf16 on eight H100 80GB at 45 % of peak FLOP/s, 60 % of peak bandwidth; one engine a node",
    max_model_len=131_072,
    engine_blocks=19_800,
    l1_blocks=47_600,  # 1 TB of host memory a node
    l2_blocks=950_000,  # 20 TB
    engines_per_node=1,
    max_num_seqs=256,
    max_num_batched_tokens=8192,
    kv_bytes_per_token=327_680,
    prefill_tokens_per_second=22_000,
    step_seconds=0.012,
    decode_seconds_per_sequence=0.00006,
    l1_tokens_per_second=450_000,  # 150 GB/s over eight PCIe links
    l2_tokens_per_second=60_000,  # 20 GB/s from the store
    transfer_bytes_per_second=100e9,
    transfer_setup_seconds=0.003,
)

PROFILES = {profile.name: profile for profile in (_LAPTOP, _H100_8B, _H100_70B)}
