"""Control: change strategy, threshold and pool sizes; preview, confirm, watch it being applied."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
import streamlit as st

from dashboard import notices, sources
from stack.api.schema import ChangeView, StateView
from stack.control.state import REPLICAS_MAX, THRESHOLD_MAX, ModelState
from stack.model.tier import Pool

STRATEGIES = {
    "round_robin": "each ready engine in turn",
    "session": "a session stays on its engine",
    "prefix_aware": "the engine that was sent the longest matching prefix",
    "kv_aware": "the engine that holds most of the prompt's blocks, by its KV events",
}
INHERIT = "as the model"


def page() -> None:
    """Draw the page."""
    st.title("Control")
    state = None
    with notices.told():
        state = sources.control().state()
    if state is None:
        return
    with notices.told():
        model = _model(state)
        _confirm(state, model, _form(state.generation, model, state.desired.models[model]))
    _progress()
    with notices.told():
        _history()


def _model(state: StateView) -> str:
    names = sorted(state.desired.models)
    return names[0] if len(names) == 1 else str(st.selectbox("Model", names))


def _form(generation: int, model: str, now: ModelState) -> dict[str, Any]:
    """The form, filled with what is desired now; its values as a merge patch of the model."""
    st.caption(f"Model `{model}`, generation {generation}. A change takes effect on the next request; nothing restarts.")
    left, middle, right = st.columns(3)
    with left:
        strategy = st.selectbox(
            "Strategy", list(STRATEGIES), index=list(STRATEGIES).index(now.strategy), key=f"strategy-{model}-{generation}"
        )
        st.caption(STRATEGIES[strategy])
    with middle:
        enabled = st.toggle("Disaggregated prefill/decode", now.dpd.enabled, key=f"dpd-{model}-{generation}")
        threshold = st.number_input(
            "Routing threshold, prompt tokens",
            min_value=0,
            max_value=THRESHOLD_MAX,
            value=now.dpd.routing_threshold,
            step=64,
            key=f"threshold-{model}-{generation}",
            disabled=not enabled,
            help="Prompts of at least this many tokens take prefill, KV transfer, decode. 0 means always.",
        )
    with right:
        pools = {pool.value: _pool(pool, getattr(now.pools, pool.value), f"{model}-{generation}") for pool in Pool}
    return {"strategy": strategy, "dpd": {"enabled": enabled, "routing_threshold": int(threshold)}, "pools": pools}


def _pool(pool: Pool, now: Any, key: str) -> dict[str, Any]:
    size, own = st.columns(2)
    replicas = size.number_input(f"{pool.value.title()} replicas", 0, REPLICAS_MAX, now.replicas, key=f"{pool.value}-{key}")
    choices = [INHERIT, *STRATEGIES]
    strategy = own.selectbox("Strategy", choices, choices.index(now.strategy or INHERIT), key=f"{pool.value}-strategy-{key}")
    return {"replicas": int(replicas), "strategy": None if strategy == INHERIT else strategy}


def _confirm(state: StateView, model: str, wanted: Mapping[str, Any]) -> None:
    """Preview first; the apply button belongs to exactly the change that was previewed."""
    patch = {"models": {model: wanted}}
    if st.button("Preview", icon=":material/preview:"):
        st.session_state["previewed"] = (state.generation, patch, sources.control().change(patch, state.generation, dry_run=True))
    previewed = st.session_state.get("previewed")
    if previewed is None or previewed[:2] != (state.generation, patch):
        return
    preview: ChangeView = previewed[2]
    if not preview.diff:
        st.info("Nothing would change.")
        return
    _show(preview)
    comment = st.text_input("Why (kept in the audit log)", key="comment")
    if st.button("Apply", type="primary", icon=":material/check:"):
        applied = sources.control().change(patch, state.generation, comment=comment or None)
        st.session_state["applied"] = applied.generation
        del st.session_state["previewed"]
        st.rerun()


def _show(change: ChangeView) -> None:
    rows = [{"field": c.field, "before": _plain(c.before), "after": _plain(c.after)} for c in change.diff]
    st.dataframe(pd.DataFrame(rows), hide_index=True)
    for effect in change.effects:
        st.markdown(f"- {effect.sentence}")


def _plain(value: object) -> str:
    return "(inherits)" if value is None else str(value)


@st.fragment(run_every=2)
def _progress() -> None:
    """Desired against applied: routers by generation, engines by state, what is not yet as wanted and why."""
    with notices.told():
        state = sources.control().state()
        st.subheader(f"Applied (generation {state.generation})")
        behind = [router.id for router in state.applied.routers if router.live and router.generation != state.generation]
        if not state.applied.routers:
            st.warning("No router reports to control: whether anything is applied is unknown.")
        elif behind:
            st.warning(f"Not yet on generation {state.generation}: {', '.join(behind)}.")
        else:
            st.success(f"Every live router applies generation {state.generation}.", icon=":material/check:")
        for drift in state.drift:
            st.warning(f"`{drift.field}`: {drift.reason}")
        st.dataframe(engines(state), hide_index=True)


def engines(state: StateView) -> pd.DataFrame:
    """The engines as rows."""
    return pd.DataFrame(
        [
            {
                "engine": engine.name,
                "pool": engine.pool.value,
                "state": engine.state.value,
                "health": engine.health.value,
                "in flight": notices.UNKNOWN if engine.in_flight is None else str(engine.in_flight),
                "emulated": engine.emulated,
                "detail": engine.detail,
            }
            for engine in state.engines
        ]
    )


def _history() -> None:
    with st.expander("History"):
        records = sources.control().audit(limit=50).records
        rows = [
            {
                "at": pd.Timestamp(record.at, unit="s", tz="UTC"),
                "generation": record.generation,
                "who": record.actor,
                "outcome": record.outcome.value,
                "change": "; ".join(f"{c.field}: {_plain(c.before)} -> {_plain(c.after)}" for c in record.diff),
                "effects": "; ".join(record.effects),
                "why": record.comment or record.error or "",
            }
            for record in records
        ]
        st.dataframe(pd.DataFrame(rows), hide_index=True)
