"""The form of the Control page: a model's desired state, field by field."""

from __future__ import annotations

import msgspec
import streamlit as st

from dashboard.steering.draft import Draft
from dashboard.strategy_names import NEEDS_PLACEMENT, choices, explained
from stack.control.state import THRESHOLD_MAX, Dpd, ModelState, Pools, PoolState
from stack.model.tier import Pool

INHERIT = "as above"


def form(model: str, draft: Draft) -> ModelState:
    """Draw the form and read it. Its widgets live as long as the draft's serial."""
    key = f"{model}-{draft.serial}"
    filled = draft.edited
    left, right = st.columns(2)
    with left:
        strategy = _strategy(filled, key)
        fallback = _fallback(filled, key)
    with right:
        dpd = _dpd(filled.dpd, key)
    prefill, decode = st.columns(2)
    with prefill:
        prefilling = _pool(Pool.PREFILL, filled.pools.prefill, key)
    with decode:
        decoding = _pool(Pool.DECODE, filled.pools.decode, key)
    pools = Pools(prefill=prefilling, decode=decoding)
    # What the form does not show stays as it is.
    return msgspec.structs.replace(filled, strategy=strategy, fallback_strategy=fallback, dpd=dpd, pools=pools)


def _strategy(filled: ModelState, key: str) -> str:
    chosen = st.selectbox("Routing strategy", choices(filled.strategy), key=_kept(f"strategy-{key}", filled.strategy))
    st.caption(explained(chosen))
    return chosen


def _fallback(filled: ModelState, key: str) -> str:
    names = [name for name in choices(filled.fallback_strategy) if name != NEEDS_PLACEMENT]
    name = _kept(f"fallback-{key}", filled.fallback_strategy)
    return st.selectbox("When kv_aware has no placement", names, key=name, help="Counted by reason each time it decides.")


def _dpd(filled: Dpd, key: str) -> Dpd:
    threshold, switch = st.columns(2, vertical_alignment="bottom")
    text = "Long prompts take prefill, KV transfer, decode."
    enabled = switch.toggle("Disaggregate (DPD)", key=_kept(f"dpd-{key}", filled.enabled), help=text)
    name = _kept(f"threshold-{key}", filled.routing_threshold)
    tokens = threshold.number_input("Routing threshold (tokens)", 0, THRESHOLD_MAX, step=64, key=name, disabled=not enabled)
    st.caption(_reach(enabled, tokens))
    return msgspec.structs.replace(filled, enabled=enabled, routing_threshold=tokens)


def _reach(enabled: bool, tokens: int) -> str:
    if not enabled:
        return "Every prompt goes straight to a decode engine."
    prompts = "Every prompt is" if tokens == 0 else f"Prompts of at least {tokens:,} tokens are"
    return f"{prompts} computed on a prefill engine first."


def _pool(pool: Pool, filled: PoolState, key: str) -> PoolState:
    title = pool.value.title()
    size, own = st.columns(2)
    least, most = filled.bounds.min, filled.bounds.max
    replicas = size.number_input(f"{title} engines", least, most, step=1, key=_kept(f"{pool.value}-{key}", filled.replicas))
    names = [INHERIT, *choices(filled.strategy)]
    strategy = own.selectbox(f"{title} strategy", names, key=_kept(f"{pool.value}-strategy-{key}", filled.strategy or INHERIT))
    return msgspec.structs.replace(filled, replicas=replicas, strategy=None if strategy == INHERIT else strategy)


def _kept(key: str, value: object) -> str:
    """`key`, filled where the widget is new, or was forgotten because another page was looked at meanwhile."""
    st.session_state.setdefault(key, value)
    return key
