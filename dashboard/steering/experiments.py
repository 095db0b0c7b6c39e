"""Experiments: a share of a model's sessions tries what the form says, before all do."""

from __future__ import annotations

from typing import Any

import pandas as pd
import streamlit as st

from dashboard import amounts, notices, reader, sources
from dashboard.steering.review import fields
from dashboard.wording import plain
from stack.api.experiment_schema import BegunView, ExperimentView
from stack.api.experiment_words import candidate, finding, left, terms
from stack.api.schema import StateView
from stack.control.experiment import SAMPLES_LEAST, SAMPLES_MAX, Experiment, Proposal, Stage

SHOWN = 20
_MINUTES_MAX = 7 * 24 * 60
_PROPOSED = "proposed"
_MARKS = {Stage.RUNNING: "⏳", Stage.PROMOTED: "🟢", Stage.ROLLED_BACK: "🔴", Stage.STOPPED: "🟡", Stage.ABORTED: "🟡"}
_UNTOLD = {"?": amounts.UNKNOWN, "? to ?": amounts.UNKNOWN}  # as a terminal writes it, which has less room
_COLUMNS = ("measure", "as it is", "candidate", "effect", "bounds", "at most", "guardrail")


def experiments(model: str, edits: dict[str, Any], state: StateView, may: bool) -> None:
    """Draw how experiments on `model` go, and the way to begin one with `edits`, for those who `may`."""
    panel = st.expander("Experiments: a share of the sessions tries it first", key="control-open-experiments", bind="query-params")
    with panel, notices.told():
        known = [one for one in sources.control().experiments(limit=SHOWN).experiments if one.model == model]
        running = state.experiments.get(model)
        if may and running is None:
            _begin(model, edits, state)
        chosen = _chosen(known, running)
        if chosen is not None:
            st.fragment(_one, run_every=5)(chosen, may)


def _begin(model: str, edits: dict[str, Any], state: StateView) -> None:
    if not edits:
        st.caption("Edit the form above: its edits can be tried on a share of the sessions, the others going on as they are.")
        return
    share, sessions, minutes = st.columns(3)
    per_cent = share.slider("Share of the sessions (%)", 1, 90, 20, key=f"share-{model}")
    samples = sessions.number_input("Until so many sessions", SAMPLES_LEAST, SAMPLES_MAX, 2_000, key=f"samples-{model}")
    longest = minutes.number_input("Or so many minutes", 1, _MINUTES_MAX, 120, key=f"minutes-{model}")
    why = st.text_input("What it is for (kept in the history)", key=f"for-{model}")
    proposal = Proposal(candidate=edits, share=per_cent / 100, samples=samples, duration_seconds=longest * 60.0)
    asked = (proposal, state.generation)
    with st.container(horizontal=True):
        if st.button("Preview the experiment", icon=":material/preview:"):
            view = sources.control().begin(proposal, state.generation, dry_run=True, comment=why or None)
            st.session_state[_PROPOSED] = (asked, view)
    kept: tuple[tuple[Proposal, int], BegunView] | None = st.session_state.get(_PROPOSED)
    if kept is not None and kept[0] == asked:
        _previewed(kept[1])
        if st.button("Begin", type="primary", icon=":material/science:"):
            sources.control().begin(proposal, state.generation, comment=why or None)
            del st.session_state[_PROPOSED]
            sources.forget()
            st.rerun()


def _previewed(view: BegunView) -> None:
    st.dataframe(fields(view.diff), hide_index=True)
    lines = [*terms(view.experiment), *(effect.sentence for effect in view.effects)]
    st.markdown("\n".join(f"- {plain(line)}" for line in lines))


def _chosen(known: list[Experiment], running: str | None) -> str | None:
    """Which one is looked at: the running one, else what is picked."""
    if not known:
        st.caption("There was no experiment on this model yet.")
        return running
    titles = {one.id: f"{_MARKS[one.stage]} {one.id}: {candidate(one)} ({one.stage.value}, {one.actor})" for one in known}
    index = list(titles).index(running) if running in titles else None
    return st.selectbox("Experiment", list(titles), index=index, format_func=titles.__getitem__, key="experiment",
                        placeholder="Choose one")  # fmt: skip


def _one(name: str, may: bool) -> None:
    with notices.told():
        view = sources.control().experiment(name)
        _shown(view)
        if may and view.experiment.running and st.button("Stop it: all sessions as they were", icon=":material/stop_circle:"):
            sources.control().stop(name)
            sources.forget()
            st.rerun()


def _shown(view: ExperimentView) -> None:
    experiment = view.experiment
    began = f"{reader.moment(experiment.began_at):%b %d, %H:%M:%S}"
    st.markdown(
        f"**{_MARKS[experiment.stage]} {experiment.stage.value.replace('_', ' ')}**, since {began}, by {plain(experiment.actor)}"
    )
    for line in filter(None, [experiment.comment, experiment.reason]):
        st.caption(plain(line))
    share = experiment.proposal.share
    arms = ((f"as it is ({amounts.percent(1 - share)})", view.control), (f"candidate ({amounts.percent(share)})", view.candidate))
    rows = [{"arm": arm, "requests": f"{of.requests:,}", "sessions counted": f"{of.sessions:,}"} for arm, of in arms]
    st.dataframe(pd.DataFrame(rows), hide_index=True, key=f"arms-{experiment.id}")
    st.dataframe(findings(view), hide_index=True, key=f"findings-{experiment.id}")
    for line, doubtful in left(view):
        st.caption(f"{':material/warning: ' if doubtful else ''}{plain(line[:1].upper() + line[1:])}.")


def findings(view: ExperimentView) -> pd.DataFrame:
    """One row a measure; what is not known yet is said so."""
    return pd.DataFrame([finding(one) for one in view.findings], columns=list(_COLUMNS)).replace(_UNTOLD)
