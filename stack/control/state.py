"""Desired state: one document, keyed by model; validated whole, unknown fields refused."""

from __future__ import annotations

from typing import Annotated

import msgspec

from stack.control.allowed import TEXT
from stack.control.tiers import Tiers
from stack.model.tier import Pool

# Of the desired state and all that carries it; counts up when a release adds to it (ADR 34).
SCHEMA = 1

REPLICAS_MAX = 1_024
DRAIN_SECONDS_MAX = 86_400
THRESHOLD_MAX = 10_000_000
REQUESTS_MAX = 1_000_000
PRICE_MAX = 1_000_000
GPUS_MAX = 1_024

Replicas = Annotated[int, msgspec.Meta(ge=0, le=REPLICAS_MAX)]
Share = Annotated[float, msgspec.Meta(ge=0.0, le=1.0)]
Threshold = Annotated[int, msgspec.Meta(ge=0, le=THRESHOLD_MAX)]
Requests = Annotated[int, msgspec.Meta(ge=1, le=REQUESTS_MAX)]


StrategyName = Annotated[str, msgspec.Meta(extra={TEXT: "the name of a strategy"})]
ProtocolName = Annotated[str, msgspec.Meta(extra={TEXT: "the name of a P/D protocol"})]

# Names as Kubernetes allows them for pods, which a list in words must be able to keep apart.
EngineName = Annotated[
    str, msgspec.Meta(pattern=r"^[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?$", max_length=253, extra={TEXT: "an engine's name"})
]
Engines = Annotated[tuple[EngineName, ...], msgspec.Meta(max_length=REPLICAS_MAX)]

SESSION_KEYS = ("header:x-session-id", "cookie:session_id", "body:session_id", "body:prompt_cache_key", "body:user")
SessionKey = Annotated[str, msgspec.Meta(extra={TEXT: "header:NAME, cookie:NAME or body:FIELD"})]
SessionKeys = Annotated[tuple[SessionKey, ...], msgspec.Meta(max_length=16)]


class Dpd(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Disaggregated prefill/decode: on or off, and from how many prompt tokens.

    `routing_threshold` compares as `prompt tokens >= threshold` (HyperPod's meaning): 0 means always;
    never is `enabled: false`. A prompt that reaches it goes straight to a decode engine all the same when one is known to
    hold all but fewer than `min_uncached_tokens` of it; 0 means that what is cached never decides.
    """

    enabled: bool = True
    routing_threshold: Threshold = 4096
    min_uncached_tokens: Threshold = 0


class Bounds(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Between which numbers of engines a pool may be set, both included. They change by a change of their own, or the same one."""

    min: Replicas = 0
    max: Replicas = REPLICAS_MAX


UNBOUNDED = Bounds()


Parameters = dict[str, dict[str, bool | int | float | str]]  # by strategy and name; stack.strategies.parameters has the types


class PoolState(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One pool: how many engines, within which bounds, its own strategy (null inherits the model's), its engines' P/D protocol.

    `parameters` are told to strategies by their names, also to those that only stand by; what is left out is a strategy's default.
    A null `protocol` is `nixl`, which engines also speak that have NIXL inside a MultiConnector.
    `drain_seconds` is how long an engine that leaves has for the requests it has in flight; null is control's own setting.
    `drained` names engines that get no new requests; they stay, and count among `replicas`.
    `gpu_hour_price` is what one GPU costs an hour, in any currency, and `gpus_per_engine` how many of them an engine has: they
    decide nothing but what reports say a token costs.
    """

    replicas: Replicas = 1
    bounds: Bounds = UNBOUNDED
    drain_seconds: Annotated[float, msgspec.Meta(ge=1, le=DRAIN_SECONDS_MAX)] | None = None
    strategy: StrategyName | None = None
    parameters: Parameters = {}
    protocol: ProtocolName | None = None
    drained: Engines = ()
    gpu_hour_price: Annotated[float, msgspec.Meta(ge=0, le=PRICE_MAX)] | None = None
    gpus_per_engine: Annotated[int, msgspec.Meta(ge=1, le=GPUS_MAX)] = 1


class Pools(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Both pools; `prefill.replicas` 0 means no disaggregation is possible."""

    prefill: PoolState = PoolState(replicas=0)
    decode: PoolState = PoolState(replicas=1)

    def of(self, pool: Pool) -> PoolState:
        """One of the two."""
        return self.prefill if pool is Pool.PREFILL else self.decode


class LoadLimits(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How many requests of a model each router process takes at once; null is no limit, for engines queue by themselves.

    `in_flight` counts all engines together, `in_flight_per_engine` each engine of either pool. What comes beyond waits in
    the router, at most `queue` requests and `queue_per_engine` for each ready decode engine, and at most `queue_seconds`;
    the rest is refused with 429. A `queue` of 0 is none.
    """

    in_flight: Requests | None = None
    in_flight_per_engine: Requests | None = None
    queue: Annotated[int, msgspec.Meta(ge=0, le=REQUESTS_MAX)] = 0
    queue_per_engine: Requests | None = None
    queue_seconds: Annotated[float, msgspec.Meta(gt=0, le=600)] = 30.0

    @property
    def bounded(self) -> bool:
        """There is a limit at all."""
        return self.in_flight is not None or self.in_flight_per_engine is not None

    @property
    def words(self) -> str:
        """All of it, for people."""
        bounds = ((self.in_flight, "in flight"), (self.in_flight_per_engine, "in flight on each engine"))
        taken = " and ".join(f"{most} {where}" for most, where in bounds if most is not None)
        if not taken:
            return "no limit"
        each = "" if self.queue_per_engine is None else f", {self.queue_per_engine} for each engine"
        return f"{taken}, {self.queue or 'none'} waiting{each}"


NO_LIMITS = LoadLimits()


class ModelState(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What one served model should look like.

    `fallback_strategy` decides where `kv_aware` has no placement to decide by. `session_keys` are looked at in order
    (stack.control.session_key); the first one that a request has is its session.
    On `shadow_share` of its requests the other strategies decide along, to be compared; nothing is sent anywhere for it.
    `eject_stalled`: an engine that says nothing for longer than the prompts it was given explain gets no new requests for
    a while, as one that fails them; otherwise that is only reported.
    """

    strategy: StrategyName = "prefix_aware"
    fallback_strategy: StrategyName = "prefix_aware"
    session_keys: SessionKeys = SESSION_KEYS
    dpd: Dpd = Dpd()
    pools: Pools = Pools()
    limits: LoadLimits = NO_LIMITS
    shadow_share: Share = 0.05
    eject_stalled: bool = False


NO_TIERS = Tiers()


class Desired(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The whole document that `PATCH /v1/state` merges into. The tiers behind the engines are all models' together."""

    models: dict[str, ModelState]
    tiers: Tiers = NO_TIERS
