"""Which page of the dashboard shows what an alert is about."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

import msgspec


class Page(StrEnum):
    """The dashboard's pages that can show it, by their path in the URL."""

    OVERVIEW = "overview"
    CACHE = "cache"
    DPD = "dpd"
    ROUTING = "routing"
    ENGINES = "engines"
    CONTROL = "control"
    DOCTOR = "doctor"


class Place(msgspec.Struct, frozen=True, kw_only=True):
    """A page and what it is narrowed to: `filters` are labels as the alert has them."""

    page: Page
    filters: dict[str, str] = {}


# What a page can be narrowed to. Only some pages know single engines, which rules call replica.
SCOPE = ("cluster", "namespace", "model_name")
ENGINE, _ENGINE_LABEL = "engine", "replica"

_PAGES: Mapping[Page, tuple[str, ...]] = {
    Page.OVERVIEW: (
        "KvdeckAvailabilityBudgetBurning",
        "KvdeckItlBudgetBurning",
        "KvdeckRequestsAborted",
        "KvdeckRequestsFailing",
        "KvdeckTtftBudgetBurning",
    ),
    Page.CACHE: (
        "KvdeckCacheEventsDropped",
        "KvdeckEvictionPressure",
        "KvdeckExternalCacheSilent",
        "KvdeckExternalHitRatioCollapsed",
        "KvdeckFoundNotLoaded",
        "KvdeckKvCacheFull",
        "KvdeckL1AllocationFailing",
        "KvdeckL1TooSmall",
        "KvdeckL2Backlog",
        "KvdeckL2EvictsUnseen",
        "KvdeckL2Silent",
        "KvdeckPrefixHitRatioCollapsed",
        "KvdeckPrefixHitRatioPinned",
        "KvdeckStoreDegraded",
        "KvdeckStoreDown",
        "KvdeckStoreEvicting",
        "KvdeckStoreNearlyFull",
        "KvdeckTierDaemonDown",
        "KvdeckTierHitRatioCollapsed",
        "KvdeckTierHitRatioPinned",
    ),
    Page.DPD: (
        "KvdeckKvReadAfterLease",
        "KvdeckKvTransferFailing",
        "KvdeckKvTransferSlow",
        "KvdeckKvTransferStuck",
        "KvdeckPoolImbalance",
        "KvdeckPrefillQueueGrowing",
        "KvdeckTransferOverTcp",
        "KvdeckTransferTelemetryBroken",
    ),
    Page.ROUTING: (
        "KvdeckDecisionsLost",
        "KvdeckHotspot",
        "KvdeckIndexWrong",
        "KvdeckKvEventGaps",
        "KvdeckKvPlacementUnknown",
        "KvdeckRoutingFallbacks",
    ),
    Page.ENGINES: (
        "KvdeckEngineDown",
        "KvdeckEngineNotGenerating",
        "KvdeckEngineQueueGrowing",
        "KvdeckEngineRestarting",
        "KvdeckEngineShunned",
        "KvdeckEngineStalled",
        "KvdeckEngineVersionUnknown",
        "KvdeckModelNotServed",
        "KvdeckNoReadyDecodeEngine",
        "KvdeckPoolShort",
    ),
    Page.CONTROL: (
        "KvdeckControlDown",
        "KvdeckControlDrift",
        "KvdeckRouterDown",
        "KvdeckRouterWorkersDown",
    ),
    # What watches is itself at fault.
    Page.DOCTOR: (
        "KvdeckCollectorFailing",
        "KvdeckDiscoveryFailing",
        "KvdeckExporterDown",
        "KvdeckExporterStale",
        "KvdeckQuantityMissing",
    ),
}
PAGE_OF: Mapping[str, Page] = {name: page for page, names in _PAGES.items() for name in names}
_BY_ENGINE = frozenset({Page.ROUTING, Page.ENGINES})


def place(name: str, labels: Mapping[str, str]) -> Place | None:
    """Where the alert `name` is shown; None for one that is not of this project's rules."""
    page = PAGE_OF.get(name)
    if page is None:
        return None
    filters = {label: labels[label] for label in SCOPE if labels.get(label)}
    if page in _BY_ENGINE and labels.get(_ENGINE_LABEL):
        filters[ENGINE] = labels[_ENGINE_LABEL]
    return Place(page=page, filters=filters)
