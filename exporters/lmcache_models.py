"""What LMCache tells of each model, as points: tokens asked for and found, tokens and chunks loaded."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from exporters.collector import Point
from exporters.lmcache_points import summed
from stack.engines import lmcache_quantities as lq
from stack.engines.lmcache import Mode, Reading, TierHits
from stack.metrics import catalog
from stack.metrics.family import Label
from stack.model.tier import Tier

UNSPLIT = "lmcache"
"""As a tier: L1 and L2 together, of an LMCache that does not tell them apart."""

_LOADED = {
    Mode.MULTI_PROCESS: (lq.LOADED, catalog.CACHE_LOADED_CHUNKS, Tier.L1.value),
    Mode.IN_PROCESS: (lq.INSIDE_LOADED, catalog.CACHE_LOADED_TOKENS, UNSPLIT),
}


def points(
    own: Mapping[Label, str],
    reading: Reading,
    name: Callable[[str], str],
    held_up: Callable[[str, float, float], float] = lambda model, asked, epoch: asked,
) -> Iterator[Point]:
    """Under `own` and the `name` of each model root; roots of one name are summed.

    L2 was asked for what two counters differ in: `held_up` keeps that of a model from falling until its `epoch` does.
    """
    for model, hits in named(reading.hits, name).items():
        labels = {**own, Label.MODEL_NAME: model}
        for tier, asked, found in _tiers(hits, has_l2=reading.has_l2):
            told = held_up(model, asked, hits.requested) if tier == Tier.L2 else asked
            yield Point(catalog.CACHE_LOOKUP_TOKENS, {**labels, Label.TIER: tier}, told)
            if found is not None:
                yield Point(catalog.CACHE_HIT_TOKENS, {**labels, Label.TIER: tier}, found)
    yield from _loaded(own, reading, name)


def named(hits: Mapping[str, TierHits], name: Callable[[str], str]) -> dict[str, TierHits]:
    """Hits by name instead of root."""
    found: dict[str, TierHits] = {}
    for root, one in hits.items():
        model = name(root)
        found[model] = one if model not in found else _sum(found[model], one)
    return found


def _tiers(hits: TierHits, *, has_l2: bool) -> Iterator[tuple[str, float, float | None]]:
    """Each tier with the tokens it was asked for and those it found."""
    if hits.l1 is None and hits.either is not None:
        yield UNSPLIT, hits.requested, hits.either
        return
    yield Tier.L1, hits.requested, hits.l1
    if hits.l1 is not None and hits.l2 is not None and has_l2:
        yield Tier.L2, hits.requested - hits.l1, hits.l2


def _loaded(own: Mapping[Label, str], reading: Reading, name: Callable[[str], str]) -> Iterator[Point]:
    if reading.mode not in _LOADED:
        return
    quantity, family, tier = _LOADED[reading.mode]
    for model, amount in summed(reading.exposed.by("model_name", quantity), name).items():
        yield Point(family, {**own, Label.MODEL_NAME: model, Label.TIER: tier}, amount)


def _sum(one: TierHits, more: TierHits) -> TierHits:
    return TierHits(one.requested + more.requested, _both(one.l1, more.l1), _both(one.l2, more.l2), _both(one.either, more.either))


def _both(one: float | None, more: float | None) -> float | None:
    return None if one is None or more is None else one + more
