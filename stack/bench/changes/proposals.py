"""Changes to propose, one after another out of a seed: each is valid for the state it is made for, and differs from it."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence

from stack.control.state import ModelState
from stack.model.tier import Pool
from stack.strategies.base import NEEDS_PLACEMENT

Patch = dict[str, object]

SESSION_HEADER = "header:x-session-id"  # which every request of the load has; none has a `user`
_SESSION_KEYS = ((), (SESSION_HEADER,), ("body:user",), ("body:user", SESSION_HEADER))
# Below, among and above the lengths of the load's prompts.
_THRESHOLDS = (0, 64, 128, 256, 512, 1024, 100_000)
_MIN_UNCACHED = (0, 32, 64, 256)
_SHARES = (0.0, 0.05, 0.5)
_PATIENCE = (0.0, 256.0, 2048.0)  # tokens
_DRAIN_SECONDS = (None, 5.0, 20.0)  # all of them longer than an answer of the load takes
_DECODE, _PREFILL = (1, 2, 3), (0, 1, 2)
# So loose that the load never meets them: a limit that is met refuses requests, as it should.
_LIMITS: tuple[Mapping[str, object], ...] = (
    {"in_flight": None, "in_flight_per_engine": None, "queue": 0},
    {"in_flight": 500, "in_flight_per_engine": None, "queue": 1000, "queue_seconds": 60.0},
    {"in_flight": 1000, "in_flight_per_engine": 400, "queue": 1000, "queue_seconds": 60.0},
)


class Proposals:
    """Draws from `rng`. `strategies` are the names there are."""

    def __init__(self, rng: random.Random, strategies: Sequence[str]) -> None:
        self._rng = rng
        self._strategies = tuple(strategies)
        self._kinds: tuple[Callable[[ModelState], Patch], ...] = (
            self._strategy,
            self._strategy,
            self._pool_strategy,
            self._fallback,
            self._dpd,
            self._threshold,
            self._threshold,
            self._min_uncached,
            self._decode_replicas,
            self._prefill_replicas,
            self._limits,
            self._session_keys,
            self._shadow_share,
            self._eject_stalled,
            self._parameter,
            self._drain_seconds,
        )

    def next(self, now: ModelState) -> Patch:
        """A merge patch of one model that is served as `now` says."""
        return self._rng.choice(self._kinds)(now)

    def _other(self, values: Sequence[object], now: object) -> object:
        return self._rng.choice([value for value in values if value != now])

    def _strategy(self, now: ModelState) -> Patch:
        """For both pools: what one of them had of its own goes."""
        after = self._other(self._strategies, now.pools.decode.strategy or now.strategy)
        return {"strategy": after, "pools": {pool.value: {"strategy": None} for pool in Pool}}

    def _pool_strategy(self, now: ModelState) -> Patch:
        pool = self._rng.choice(tuple(Pool))
        own = now.pools.of(pool).strategy or now.strategy
        return {"pools": {pool.value: {"strategy": self._other(self._strategies, own)}}}

    def _fallback(self, now: ModelState) -> Patch:
        able = [name for name in self._strategies if name != NEEDS_PLACEMENT]
        return {"fallback_strategy": self._other(able, now.fallback_strategy)}

    def _dpd(self, now: ModelState) -> Patch:
        if now.dpd.enabled or now.pools.prefill.replicas:
            return {"dpd": {"enabled": not now.dpd.enabled}}
        return {"dpd": {"enabled": True}, "pools": {"prefill": {"replicas": 1}}}

    def _threshold(self, now: ModelState) -> Patch:
        return {"dpd": {"routing_threshold": self._other(_THRESHOLDS, now.dpd.routing_threshold)}}

    def _min_uncached(self, now: ModelState) -> Patch:
        return {"dpd": {"min_uncached_tokens": self._other(_MIN_UNCACHED, now.dpd.min_uncached_tokens)}}

    def _decode_replicas(self, now: ModelState) -> Patch:
        return {"pools": {"decode": {"replicas": self._other(_DECODE, now.pools.decode.replicas)}}}

    def _prefill_replicas(self, now: ModelState) -> Patch:
        able = [count for count in _PREFILL if count or not now.dpd.enabled]
        return {"pools": {"prefill": {"replicas": self._other(able, now.pools.prefill.replicas)}}}

    def _limits(self, now: ModelState) -> Patch:
        able = [one for one in _LIMITS if one["in_flight"] != now.limits.in_flight]
        return {"limits": dict(self._rng.choice(able))}

    def _session_keys(self, now: ModelState) -> Patch:
        return {"session_keys": list(self._rng.choice([keys for keys in _SESSION_KEYS if keys != now.session_keys]))}

    def _eject_stalled(self, now: ModelState) -> Patch:
        return {"eject_stalled": not now.eject_stalled}

    def _parameter(self, now: ModelState) -> Patch:
        pool = self._rng.choice(tuple(Pool))
        told = now.pools.of(pool).parameters.get("prefix_aware", {}).get("patience_tokens")
        patience = {"prefix_aware": {"patience_tokens": self._other(_PATIENCE, told)}}
        return {"pools": {pool.value: {"parameters": patience}}}

    def _drain_seconds(self, now: ModelState) -> Patch:
        pool = self._rng.choice(tuple(Pool))
        return {"pools": {pool.value: {"drain_seconds": self._other(_DRAIN_SECONDS, now.pools.of(pool).drain_seconds)}}}

    def _shadow_share(self, now: ModelState) -> Patch:
        return {"shadow_share": self._other(_SHARES, now.shadow_share)}
