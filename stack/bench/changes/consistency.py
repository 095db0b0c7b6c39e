"""Whether all that a request was decided by is of one generation."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from stack.bench.changes.documents import Leaves
from stack.bench.changes.proposals import SESSION_HEADER
from stack.control.decision import DecisionRecord, Selection
from stack.model.tier import Pool
from stack.strategies.disaggregation import PathReason

_COMPARED = {
    PathReason.AT_THRESHOLD: "routing_threshold",
    PathReason.BELOW_THRESHOLD: "routing_threshold",
    PathReason.NO_READY_PREFILL_ENGINE: "routing_threshold",
    PathReason.ALREADY_CACHED: "min_uncached_tokens",
}


class Deciders(NamedTuple):
    """Who chose in a pool, and who decided in its place, if somebody did."""

    strategy: str
    instead: str | None

    @classmethod
    def of(cls, selection: Selection) -> Deciders:
        return cls(selection.strategy, selection.decided_by)


class Told(NamedTuple):
    """What a decision record tells of the configuration that its request went by. `bound` is the number compared with."""

    generation: int
    threshold: int
    path_reason: str
    bound: int | None
    decode: Deciders
    prefill: Deciders | None
    has_session: bool
    has_shadows: bool

    @classmethod
    def of(cls, record: DecisionRecord) -> Told:
        number = record.compared.rpartition(" ")[2].replace(",", "")
        return cls(
            record.generation,
            record.threshold,
            record.path_reason,
            int(number) if number else None,
            Deciders.of(record.decode),
            None if record.prefill is None else Deciders.of(record.prefill),
            record.session is not None,
            bool(record.shadows),
        )


def contradictions(told: Told, model: str, fields: Leaves) -> Iterator[str]:
    """What of `told` the `fields` of its generation do not account for, in words. Each request of the load has a session header."""
    own = f"models.{model}"
    enabled, threshold = fields[f"{own}.dpd.enabled"], fields[f"{own}.dpd.routing_threshold"]
    if told.threshold != threshold:
        yield f"routing_threshold {told.threshold}, not {threshold}"
    if (told.path_reason == PathReason.DISABLED) == bool(enabled):
        yield f"{told.path_reason} with dpd.enabled {enabled}"
    name = _COMPARED.get(PathReason(told.path_reason)) if told.path_reason in set(PathReason) else None
    if name is not None and told.bound != fields[f"{own}.dpd.{name}"]:
        yield f"compared with {told.bound}, not with the {name} {fields[f'{own}.dpd.{name}']}"
    for pool, deciders in ((Pool.DECODE, told.decode), (Pool.PREFILL, told.prefill)):
        if deciders is not None:
            yield from _strategies(deciders, pool, own, fields)
    if told.has_session != (SESSION_HEADER in str(fields[f"{own}.session_keys"])):
        yield f"{'a' if told.has_session else 'no'} session with session_keys {fields[f'{own}.session_keys']!r}"
    if told.has_shadows and fields[f"{own}.shadow_share"] == 0:
        yield "shadows with shadow_share 0"


def _strategies(deciders: Deciders, pool: Pool, own: str, fields: Leaves) -> Iterator[str]:
    wanted = fields[f"{own}.pools.{pool}.strategy"] or fields[f"{own}.strategy"]
    if deciders.strategy != wanted:
        yield f"{pool} by {deciders.strategy}, not {wanted}"
    if deciders.instead not in (None, fields[f"{own}.fallback_strategy"]):
        yield f"{pool} by {deciders.instead} in its place, not {fields[f'{own}.fallback_strategy']}"
