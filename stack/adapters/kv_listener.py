"""What following KV events tells besides the index, and how patient it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from stack.model.target import Target


class KvEventListener(Protocol):
    """What happens besides the index. Called on the event loop; must not block."""

    def evicted(self, target: Target, blocks: int) -> None:
        """Blocks left the engine's own cache, since it is watched."""
        ...

    def gap(self, target: Target, *, recovered: bool) -> None:
        """Batches were missed; unrecovered ones make the engine's placement partial."""
        ...

    def cache_lost(self, target: Target) -> None:
        """The engine restarted or dropped its whole cache."""
        ...


@dataclass(frozen=True, slots=True)
class Timing:
    """When to ask an engine, in seconds."""

    heartbeat: float = 5.0  # nothing came for so long: ask whether nothing happened
    answer: float = 5.0  # the longest silence within a replay; vLLM serves one between two steps, within 0.1 s
    retry: float = 1.0  # the pause after an answer that did not come
    sweep: float = 1.0  # between two looks for blocks that nobody holds any more: they cost memory only
