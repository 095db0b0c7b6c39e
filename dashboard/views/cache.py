"""Cache: where prompt tokens' KV came from, what each tier holds and loses, and whether more of it would help."""

from __future__ import annotations

from dashboard.caching import engines, l2, loading, origins, sizing, tiers, untold
from dashboard.parts import Part, chosen
from dashboard.scope import toolbar

PARTS = {
    "Where KV came from": Part(origins.questions, origins.draw),
    "Tiers": Part(tiers.questions, tiers.draw),
    "A bigger L1?": Part(sizing.questions, sizing.draw),
    "Found and loaded": Part(loading.questions, loading.draw),
    "L2": Part(l2.questions, l2.draw),
    "Engines": Part(engines.questions, engines.draw),
    "Not told": Part(untold.questions, untold.draw),
}
"""By title; the URL holds which one is looked at, and only that one is asked for."""


def page() -> None:
    """Draw the page."""
    scope = toolbar("Cache")
    PARTS[chosen(list(PARTS), "cache-part")].live(scope)
