"""The form of the Control page: a model's desired state, field by field."""

from __future__ import annotations

from dataclasses import replace

import msgspec
import streamlit as st

from dashboard.steering.draft import Draft
from dashboard.steering.kept import kept
from dashboard.steering.rest import rest
from dashboard.strategy_names import NEEDS_PLACEMENT, choices, explained
from stack.control.state import THRESHOLD_MAX, Desired, Dpd, ModelState, Pools, PoolState
from stack.model.tier import Pool

INHERIT = "as above"


def form(model: str, draft: Draft, *, locked: bool = False) -> Draft:
    """Draw the form and read it. Its widgets live as long as the draft's serial; `locked` they show it, and take no edits."""
    key = f"{model}-{draft.serial}"
    edited = Desired(models={model: _often(draft.model, key, locked)}, tiers=draft.edited.tiers)
    draft = replace(draft, edited=edited)
    return draft.with_(rest(model, draft, key, locked=locked), draft.serial)


def _often(filled: ModelState, key: str, locked: bool) -> ModelState:
    """What is set often, at the top."""
    left, right = st.columns(2)
    with left:
        strategy = _strategy(filled, key, locked)
        fallback = _fallback(filled, key, locked)
    with right:
        dpd = _dpd(filled.dpd, key, locked)
    prefill, decode = st.columns(2)
    with prefill:
        prefilling = _pool(Pool.PREFILL, filled.pools.prefill, key, locked)
    with decode:
        decoding = _pool(Pool.DECODE, filled.pools.decode, key, locked)
    pools = Pools(prefill=prefilling, decode=decoding)
    return msgspec.structs.replace(filled, strategy=strategy, fallback_strategy=fallback, dpd=dpd, pools=pools)


def _strategy(filled: ModelState, key: str, locked: bool) -> str:
    chosen = st.selectbox(
        "Routing strategy", choices(filled.strategy), key=kept(f"strategy-{key}", filled.strategy), disabled=locked
    )
    st.caption(explained(chosen))
    return chosen


def _fallback(filled: ModelState, key: str, locked: bool) -> str:
    names = [name for name in choices(filled.fallback_strategy) if name != NEEDS_PLACEMENT]
    name = kept(f"fallback-{key}", filled.fallback_strategy)
    text = "Counted by reason each time it decides."
    return st.selectbox("When kv_aware has no placement", names, key=name, help=text, disabled=locked)


def _dpd(filled: Dpd, key: str, locked: bool) -> Dpd:
    threshold, switch = st.columns(2, vertical_alignment="bottom")
    text = "Long prompts take prefill, KV transfer, decode."
    enabled = switch.toggle("Disaggregate (DPD)", key=kept(f"dpd-{key}", filled.enabled), help=text, disabled=locked)
    locked = locked or not enabled
    name = kept(f"threshold-{key}", filled.routing_threshold)
    tokens = threshold.number_input("Routing threshold (tokens)", 0, THRESHOLD_MAX, step=64, key=name, disabled=locked)
    uncached = st.number_input(
        "Uncached at least (tokens)", 0, THRESHOLD_MAX, step=64, key=kept(f"uncached-{key}", filled.min_uncached_tokens),
        disabled=locked, help="A long prompt of which a decode engine holds all but fewer tokens goes straight to it. 0: off.",
    )  # fmt: skip
    changed = msgspec.structs.replace(filled, enabled=enabled, routing_threshold=tokens, min_uncached_tokens=uncached)
    st.caption(_reach(changed))
    return changed


def _reach(dpd: Dpd) -> str:
    if not dpd.enabled:
        return "Every prompt goes straight to a decode engine."
    tokens = dpd.routing_threshold
    prompts = "Every prompt is" if tokens == 0 else f"Prompts of at least {tokens:,} tokens are"
    held = f", unless a decode engine holds all but fewer than {dpd.min_uncached_tokens:,} of it" if dpd.min_uncached_tokens else ""
    return f"{prompts} computed on a prefill engine first{held}."


def _pool(pool: Pool, filled: PoolState, key: str, locked: bool) -> PoolState:
    title = pool.value.title()
    size, own = st.columns(2)
    least, most = filled.bounds.min, filled.bounds.max
    name = kept(f"{pool.value}-{key}", filled.replicas)
    replicas = size.number_input(f"{title} engines", least, most, step=1, key=name, disabled=locked)
    names = [INHERIT, *choices(filled.strategy)]
    name = kept(f"{pool.value}-strategy-{key}", filled.strategy or INHERIT)
    strategy = own.selectbox(f"{title} strategy", names, key=name, disabled=locked)
    return msgspec.structs.replace(filled, replicas=replicas, strategy=None if strategy == INHERIT else strategy)
