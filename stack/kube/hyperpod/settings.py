"""What of an endpoint follows the desired state of its model, field by field."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from stack.control.refusal import RefusedError
from stack.control.state import ModelState
from stack.kube.hyperpod.documented import NEVER_ADDED, NEVER_LEAVES_DPD
from stack.kube.hyperpod.endpoint_map import Endpoint
from stack.kube.hyperpod.reading import Reading
from stack.model.tier import Pool
from stack.strategies.base import ALIASES

STRATEGY = ("spec", "intelligentRoutingSpec", "routingStrategy")
THRESHOLD = ("spec", "pdSpec", "routingThreshold")
_HYPERPOD_NAMES = {own: theirs for theirs, own in ALIASES.items()}


@dataclass(frozen=True, slots=True)
class Setting:
    """A field of desired state, below its model, and the one of the endpoint that is to have its value."""

    field: str
    keys: tuple[str, ...]
    value: str | int

    @property
    def path(self) -> str:
        return ".".join(self.keys)

    def now(self, reading: Reading) -> str | int | None:
        """What the endpoint has there, with the definition's defaults; None where it has not even the object around it."""
        spec = reading.resource.known_spec
        if self.keys == STRATEGY:
            return None if spec.intelligent_routing_spec is None else spec.intelligent_routing_spec.routing_strategy
        if self.keys == ("spec", "replicas"):
            return spec.replicas
        if spec.pd_spec is None:
            return None
        roles = {"prefillSpec": spec.pd_spec.prefill_spec, "decodingSpec": spec.pd_spec.decoding_spec}
        return spec.pd_spec.routing_threshold if self.keys == THRESHOLD else roles[self.keys[2]].replicas


def routing_settings(own: Endpoint, state: ModelState) -> Iterator[Setting]:
    """Strategy and threshold."""
    yield Setting("strategy", STRATEGY, _HYPERPOD_NAMES.get(state.strategy, state.strategy))
    if own.disaggregated:
        yield Setting("dpd.routing_threshold", THRESHOLD, state.dpd.routing_threshold)


def all_settings(own: Endpoint, state: ModelState) -> Iterator[Setting]:
    """With the replicas of its pools, which somebody else sets (`EndpointDial`)."""
    yield from routing_settings(own, state)
    for pool in Pool if own.disaggregated else (Pool.DECODE,):
        yield Setting(f"pools.{pool}.replicas", own.replicas_path(pool), state.pools.of(pool).replicas)


def changed(own: Endpoint, before: ModelState, after: ModelState) -> tuple[Setting, ...]:
    """What is to have another value. Raises RefusedError for what an endpoint cannot say, or does not take while it runs."""
    place = f"models.{own.model}"
    for pool in Pool:
        strategy = after.pools.of(pool).strategy
        if strategy not in (None, after.strategy) and before.pools.of(pool).strategy != strategy:
            raise RefusedError(f"{place}.pools.{pool}.strategy", f"{own.words} has one routingStrategy for both pools")
    if before.dpd.enabled and not after.dpd.enabled and own.disaggregated:
        why = f"spec.pdSpec of {own.words}: {NEVER_LEAVES_DPD}"
        raise RefusedError(f"{place}.dpd.enabled", why)
    if after.dpd.enabled and not before.dpd.enabled and not own.disaggregated:
        why = f"{own.words} has no pdSpec: make a new one that has, and set disaggregated in 'hyperpod:'"
        raise RefusedError(f"{place}.dpd.enabled", why)
    were = {setting.keys: setting.value for setting in all_settings(own, before)}
    return tuple(setting for setting in all_settings(own, after) if were[setting.keys] != setting.value)


def check_taken(own: Endpoint, reading: Reading, settings: Sequence[Setting]) -> None:
    """Raises RefusedError where a deployment that runs does not take one of them."""
    routing: Any = reading.resource.known_spec.intelligent_routing_spec
    if any(setting.keys == STRATEGY for setting in settings) and (routing is None or not routing.enabled):
        why = f"spec.intelligentRoutingSpec of {own.words} is not enabled, and {NEVER_ADDED}"
        raise RefusedError(f"models.{own.model}.strategy", why)
