"""In which tier behind the engines a prompt's KV lies, by what cache servers reported to control."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from stack.api.client import ControlClient
from stack.cache.tier_index import TierIndex
from stack.demo.error import DemoError
from stack.engines.lmcache_chunks import chunk_names, knows
from stack.model.tier import Tier


@dataclass(frozen=True, slots=True)
class Held:
    """Tokens of a prompt's whole chunks: those that a tier is known to hold from its beginning on, and all of them."""

    tokens: int
    whole: int


@dataclass(frozen=True, slots=True)
class Whereabouts:
    """Follows control as routers do. `root` is the model and `server` the cache server, as engines name them."""

    control: ControlClient
    root: str
    server: str
    encode: Callable[[str], Sequence[int]]
    clock: Callable[[], float]
    _index: TierIndex = field(default_factory=lambda: TierIndex(chunk_names, knows))

    def held(self, tier: Tier, prompt: str) -> Held:
        """What is known now; nothing is held for sure while there is doubt. Raises DemoError, ControlError."""
        self._catch_up()
        found = self._index.held(tier, self.server, self.root, self.encode(prompt))
        if found is None:
            raise DemoError(f"cache server {self.server!r} does not say what it holds: see `kvdeck status`")
        return Held(*found)

    def _catch_up(self) -> None:
        more = True
        while more:
            update = self.control.cache(*self._index.position)
            self._index.take(update, self.clock())
            more = update.more
