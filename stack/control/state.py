"""Desired state: one document, keyed by model; validated whole, unknown fields refused."""

from __future__ import annotations

from typing import Annotated

import msgspec

REPLICAS_MAX = 64
THRESHOLD_MAX = 10_000_000

Replicas = Annotated[int, msgspec.Meta(ge=0, le=REPLICAS_MAX)]
Threshold = Annotated[int, msgspec.Meta(ge=0, le=THRESHOLD_MAX)]


class Dpd(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Disaggregated prefill/decode: on or off, and from how many prompt tokens.

    `routing_threshold` compares as `prompt tokens >= threshold` (HyperPod's meaning): 0 means always;
    never is `enabled: false`. A prompt that reaches it goes straight to a decode engine all the same when one is known to
    hold all but fewer than `min_uncached_tokens` of it; 0 means that what is cached never decides.
    """

    enabled: bool = True
    routing_threshold: Threshold = 4096
    min_uncached_tokens: Threshold = 0


class PoolState(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One pool: how many engines, its own strategy (null inherits the model's), and its engines' P/D protocol.

    A null `protocol` is `nixl`, which engines also speak that have NIXL inside a MultiConnector.
    """

    replicas: Replicas = 1
    strategy: str | None = None
    protocol: str | None = None


class Pools(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Both pools; `prefill.replicas` 0 means no disaggregation is possible."""

    prefill: PoolState = PoolState(replicas=0)
    decode: PoolState = PoolState(replicas=1)


class ModelState(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What one served model should look like."""

    strategy: str = "prefix_aware"
    dpd: Dpd = Dpd()
    pools: Pools = Pools()


class Desired(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The whole document that `PATCH /v1/state` merges into."""

    models: dict[str, ModelState]
