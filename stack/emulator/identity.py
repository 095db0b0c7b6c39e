"""What one emulated engine is told to be."""

from __future__ import annotations

import msgspec

from stack.model.tier import Pool

# The release whose API, metrics and events are emulated.
VLLM_VERSION = "0.32.0"


class EngineSpec(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The body of PUT /engines/{replica}. `port` 0 takes a free one; `profile` None means the process' own.

    `adapters` are the LoRA adapters it serves from the start, by name.
    `cache_server` names the cache server whose L1 the engine shares with all others that name it; None packs engines by node.
    """

    pool: Pool
    port: int
    model: str
    model_root: str
    host: str = "127.0.0.1"
    kv_events: str | None = None
    replay: str | None = None
    cache_server: str | None = None
    profile: str | None = None
    adapters: tuple[str, ...] = ()


class Identity(msgspec.Struct, frozen=True, kw_only=True):
    """An engine that runs: its spec, its name and where it listens."""

    replica: str
    spec: EngineSpec
    port: int
    started: float  # wall-clock seconds

    @property
    def address(self) -> tuple[str, int]:
        """What peers connect to for KV; in this process it is the API's own address."""
        return self.spec.host, self.port
