"""Where a prompt's KV lies: in the engines by their events, behind them by what cache servers reported."""

from __future__ import annotations

from collections.abc import Sequence

from stack.cache.index import BlockIndex
from stack.cache.tier_index import TierIndex
from stack.engines.vllm_events import extra_key
from stack.fleet.snapshot import Fleet
from stack.model.chunk import CacheDoubt
from stack.model.placement import Placement
from stack.router.openai import ParsedBody


class Placing:
    """Reads memory only."""

    def __init__(self, index: BlockIndex, tiers: TierIndex) -> None:
        self._index = index
        self._tiers = tiers

    def of(self, parsed: ParsedBody, tokens: Sequence[int], fleet: Fleet, now: float) -> Placement:
        """The placement of a prompt over the engines that serve its model. `now` is the clock of both indexes.

        An adapter's KV is its own in the engines. How cache servers name it is not known, so that theirs cannot be told.
        """
        adapter = parsed.model if parsed.model in fleet.adapters else None
        targets = [engine.target for engine in fleet.of_model(parsed.model)]
        extra = extra_key(lora=adapter, cache_salt=parsed.cache_salt)
        placement = self._index.lookup(tokens, [target.replica for target in targets], now, () if extra is None else (extra,))
        doubt = None if adapter is None else CacheDoubt.ADAPTER
        return self._tiers.behind(placement, tokens, parsed.cache_salt or "", targets, now, doubt)
