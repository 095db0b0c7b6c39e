"""What a page looks at: for how long, of which fleet and model, how often anew. The URL holds it, so a link shows the same."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import ParamSpec

import streamlit as st

from dashboard import address, asking, door, emulation, hours, notices, reader, sources
from dashboard.asking import Now
from dashboard.charts import Span
from dashboard.promapi import PrometheusUnavailableError, step_seconds
from dashboard.settings import SettingsError
from dashboard.wording import plain
from stack.metrics import fleet_queries
from stack.metrics.family import Label
from stack.metrics.promql import Where

P = ParamSpec("P")

REFRESHES: dict[str, int | None] = {"5s": 5, "15s": 15, "1m": 60, "off": None}
ALL = "all"
PICKED = {Label.MODEL_NAME: "model", Label.NAMESPACE: "namespace", Label.CLUSTER: "cluster"}
"""The pickers by the label they narrow; the word is the URL's, too."""
USUAL = {
    hours.RANGE: hours.USUAL_RANGE,
    hours.FROM: "",
    hours.UNTIL: "",
    "refresh": next(iter(REFRESHES)),
    **dict.fromkeys(PICKED.values(), ALL),
}
"""What of the toolbar is in the URL, and what is chosen until somebody chooses."""
LINKED = (*USUAL, "engines-engine", "routing-engine")
"""What a link may choose although the page it stands on, or another one that was seen before, has a choice of that name."""
_LEAST_WINDOW_SECONDS = 60  # four scrapes, fifteen seconds apart


@dataclass(frozen=True, slots=True)
class Scope:
    """What is looked at. `picked` are the labels that are narrowed, `refresh` is in seconds, None for never.

    `until` is the end of hours that are held, None where it is now.
    """

    length: timedelta
    refresh: int | None
    picked: Where
    until: datetime | None = None

    @property
    def span(self) -> Span:
        """The time that is looked at."""
        return reader.span(self.length, self.until)

    @property
    def window(self) -> str:
        """A range for rates: long enough that nothing falls between two points."""
        span = self.span
        return f"{max(_LEAST_WINDOW_SECONDS, step_seconds(span.start, span.end))}s"

    @property
    def whole(self) -> str:
        """All of the time that is looked at, as a range for increases."""
        return f"{self.length.total_seconds():.0f}s"

    @property
    def fleet(self) -> Where:
        """For families that no model has a part in: stores, LMCache's servers, the fabric."""
        return {label: value for label, value in self.picked.items() if label is not Label.MODEL_NAME}

    @property
    def model(self) -> Where:
        """For families that tell models apart."""
        return self.picked

    @property
    def model_name(self) -> str | None:
        """The model that is looked at, None for all."""
        name = self.picked.get(Label.MODEL_NAME)
        return name if isinstance(name, str) else None

    def live(self, part: Callable[P, None], *args: P.args, **kwargs: P.kwargs) -> None:
        """Draw `part` of a page, and again every `refresh` seconds, the rest of the page left alone."""
        st.fragment(emulation.watched(part), run_every=self.refresh)(*args, **kwargs)


def toolbar(title: str) -> Scope:
    """Draw a page's title, and beside it what of the fleet it shows."""
    address.heed(title, LINKED)
    address.carry(title, USUAL)
    with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"):
        st.title(title, width="content", anchor=False)
        with st.container(horizontal=True, vertical_alignment="center", width="content", gap="small"):
            shown = hours.chosen()
            picked = _pickers(shown.until)
            refresh = _refresh(held=shown.until is not None)
            door.badge()
    hours.told(shown)
    return Scope(shown.length, refresh, picked, shown.until)


def _refresh(*, held: bool) -> int | None:
    name = st.selectbox(
        "Refresh", list(REFRESHES), key="refresh", bind="query-params", label_visibility="collapsed", width=110, disabled=held,
        icon=":material/refresh:", help="How often the page asks anew; hours that are held are not asked for again.",
    )  # fmt: skip
    return None if held else REFRESHES[name]


def _pickers(until: datetime | None) -> Where:
    known = _known(until)
    picked: dict[Label, str] = {}
    # Before a page is first drawn, only its link says what is picked.
    shown = [st.session_state.get(name) or st.query_params.get(name) for name in PICKED.values()]
    narrowed = ", ".join(value for value in shown if value and value != ALL)
    with st.popover(
        plain(narrowed) or "All models", icon=":material/filter_alt:", help="Which model, namespace and cluster is shown"
    ):
        for label, name in PICKED.items():
            options = [ALL, *sorted(known.get(label, ()))]
            # What a link names stays, though nobody tells of it now.
            value = st.selectbox(name.title(), options, key=name, bind="query-params", accept_new_options=True)
            if value and value != ALL:
                picked[label] = value
    return picked


def _known(until: datetime | None) -> dict[Label, set[str]]:
    """What there is to pick from, by all that tells of it; less where a source is away, which the page says."""
    found: dict[Label, set[str]] = {label: set() for label in PICKED}
    try:
        answers = asking.ask({"fleets": Now(fleet_queries.fleets())}, reader.span(timedelta(minutes=1), until))
        for sample in answers.samples("fleets"):
            _add(found, ((label, sample.labels.get(label)) for label in PICKED))
    except (PrometheusUnavailableError, SettingsError):
        pass  # the page's own questions say that it is away
    with notices.quiet():
        _add(found, ((Label.MODEL_NAME, model) for model in sources.state().desired.models))
    return found


def _add(found: dict[Label, set[str]], pairs: Iterable[tuple[Label, str | None]]) -> None:
    for label, value in pairs:
        if value:
            found[label].add(value)
