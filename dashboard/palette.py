"""One colour for each thing, the same on every page, readable on light and dark."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from stack.fleet.engine import State
from stack.model.tier import Path, Pool, Source, Tier

# From the cheapest place a prompt token's KV can come from to the dearest; grey for what nobody knows.
SOURCES = {
    Source.ENGINE: "#0f9d76",
    Source.L1: "#38b6d8",
    Source.L2: "#4f6df5",
    Source.PEER: "#a05cf0",
    Source.COMPUTED: "#f0883e",
    Source.UNKNOWN: "#8b949e",
}
TIERS = {tier: SOURCES[Source(tier.value)] for tier in Tier}
PATHS: dict[str, str] = {Path.DIRECT: "#4f6df5", Path.DPD: "#a05cf0"}
POOLS = {Pool.PREFILL: "#f0883e", Pool.DECODE: "#0f9d76"}
# A request's time, in the order in which it passes; waiting is paler than work.
PHASES = {
    "router": "#8b949e",
    "prefill_queue": "#f6c49a",
    "prefill": "#f0883e",
    "kv_transfer": "#a05cf0",
    "decode_queue": "#8fd3bf",
    "first_step": "#38b6d8",
    "decode": "#0f9d76",
}
# What a prompt is predicted to wait for, by the strategies' names of it.
WAITS = {"overhead_s": "#8b949e", "queue_s": "#e0a100", "compute_s": "#f0883e", "load_s": "#4f6df5"}
PREDICTED, MEASURED = "#a7b4f9", "#4f6df5"
STATES: dict[str, str] = {
    State.READY: "#0f9d76",
    State.JOINING: "#4f6df5",
    State.DRAINING: "#c98500",
    State.DRAINED: "#8a63d2",
    State.DOWN: "#e5534b",
}
FALLBACK = "#e0a100"
GREY = "#8b949e"
MARK = "#d6336c"
# A second kind of line beside the first: the middle beside the tail, waiting beside running.
DASHES = {
    "p50": "dot", "waiting": "dot", "loaded": "dot",
    "evict_reuse_gap": "dot", "reuse_gap": "dash", "idle_before_evict": "dashdot",
}  # fmt: skip

_NAMED = {str(kind): colour for table in (SOURCES, TIERS, PATHS, POOLS) for kind, colour in table.items()}
_OTHERS = ("#4f6df5", "#0f9d76", "#f0883e", "#a05cf0", "#38b6d8", "#e5534b", "#c69026", "#8b949e")


@dataclass(frozen=True, slots=True)
class Stroke:
    """How a line is drawn: `dash` is plotly's word."""

    colour: str
    dash: str


def stroke(words: Sequence[str], number: int) -> Stroke:
    """The stroke of the line whose label values are `words`; `number` decides for things without a colour of their own."""
    colour = next((_NAMED[word] for word in words if word in _NAMED), _OTHERS[number % len(_OTHERS)])
    return Stroke(colour, next((DASHES[word] for word in words if word in DASHES), "solid"))


def translucent(colour: str, alpha: float) -> str:
    """`#rrggbb` as plotly's rgba."""
    red, green, blue = (int(colour[at : at + 2], 16) for at in (1, 3, 5))
    return f"rgba({red}, {green}, {blue}, {alpha})"
