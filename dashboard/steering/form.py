"""The form of the Control page: a model's desired state, field by field."""

from __future__ import annotations

from dataclasses import replace

import msgspec
import streamlit as st

from dashboard.notices import REFUSED
from dashboard.steering.draft import Draft
from dashboard.steering.rest import rest
from dashboard.strategy_names import NEEDS_PLACEMENT, choices, explained
from dashboard.wording import code, plain
from stack.control.merge import merge
from stack.control.state import THRESHOLD_MAX, Desired, Dpd, ModelState, Pools, PoolState
from stack.control.wrong import refusal_of
from stack.model.tier import Pool

INHERIT = "as above"


def form(model: str, draft: Draft, *, locked: bool = False) -> Draft | None:
    """Draw the form and read it; None, and said why, where it holds what cannot be.

    Its widgets live as long as the draft's serial; `locked` they show it, and take no edits.
    """
    key = f"{model}-{draft.serial}"
    edited = Desired(models={model: _often(draft.model, key, locked)}, tiers=draft.edited.tiers)
    draft = replace(draft, edited=edited)
    patch = rest(model, draft, key, locked=locked)
    try:
        return draft.with_(patch, draft.serial)
    except msgspec.ValidationError as error:
        wrong = refusal_of(error, merge(msgspec.to_builtins(draft.edited), patch), Desired)
        st.error(f"This cannot be previewed ({code(wrong.field)}): {plain(wrong.message)}.", icon=REFUSED)
        return None


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
    names = choices(filled.strategy)
    chosen = st.selectbox("Routing strategy", names, names.index(filled.strategy), key=f"strategy-{key}", disabled=locked)
    st.caption(explained(chosen))
    return chosen


def _fallback(filled: ModelState, key: str, locked: bool) -> str:
    now = filled.fallback_strategy  # a link may ask for what cannot stand in: control tells of it
    names = [name for name in choices(now) if name != NEEDS_PLACEMENT or name == now]
    at, text = names.index(now), "Counted by reason each time it decides."
    return st.selectbox("When kv_aware has no placement", names, at, key=f"fallback-{key}", help=text, disabled=locked)


def _dpd(filled: Dpd, key: str, locked: bool) -> Dpd:
    threshold, switch = st.columns(2, vertical_alignment="bottom")
    text = "Long prompts take prefill, KV transfer, decode."
    enabled = switch.toggle("Disaggregate (DPD)", filled.enabled, key=f"dpd-{key}", help=text, disabled=locked)
    locked = locked or not enabled
    tokens = threshold.number_input(
        "Routing threshold (tokens)", 0, THRESHOLD_MAX, filled.routing_threshold, 64, key=f"threshold-{key}", disabled=locked
    )
    uncached = st.number_input(
        "Uncached at least (tokens)", 0, THRESHOLD_MAX, filled.min_uncached_tokens, 64, key=f"uncached-{key}",
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
    # A link may ask for more than the bounds allow, and so may bounds that are being edited: control tells of it.
    least, most = min(filled.bounds.min, filled.replicas), max(filled.bounds.max, filled.replicas)
    replicas = size.number_input(f"{title} engines", least, most, filled.replicas, 1, key=f"{pool.value}-{key}", disabled=locked)
    names = [INHERIT, *choices(filled.strategy)]
    at = names.index(filled.strategy or INHERIT)
    strategy = own.selectbox(f"{title} strategy", names, at, key=f"{pool.value}-strategy-{key}", disabled=locked)
    return msgspec.structs.replace(filled, replicas=replicas, strategy=None if strategy == INHERIT else strategy)
