"""Which decisions are looked at: filters that the URL holds, and what control is asked with."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import streamlit as st

from dashboard import notices, sources, strategy_names
from dashboard.scope import Scope
from dashboard.wording import plain
from stack.api.schema import DecisionsView
from stack.model.tier import Path

LAST = (100, 500)
ANY_FALLBACK = "any"
REQUEST = "routing-request"
"""The URL's word for the one decision that is explained."""
_PATH, _STRATEGY, _ENGINE, _FALLBACK, _STATUS, _WHOSE, _LAST = (
    "routing-path", "routing-strategy", "routing-engine", "routing-fallback", "routing-status", "routing-of", "routing-last",
)  # fmt: skip
_STATUSES = ("2xx", "4xx", "5xx", "aborted")
_ROUTED, _OBSERVED = "routed here", "observed only"
_SEEN = "fallbacks seen"


@dataclass(frozen=True, slots=True)
class Filters:
    """Which decisions to show, at most `limit`; None is any. `observed`: only what another gateway carried out, or none of it."""

    limit: int
    path: str | None = None
    strategy: str | None = None
    engine: str | None = None
    fallback: str | None = None
    status: str | None = None
    observed: bool | None = None

    @property
    def narrowed(self) -> bool:
        """Whether any filter is set."""
        return self != Filters(self.limit)

    def found(self, scope: Scope) -> DecisionsView:
        """The newest that fit, within the range and model of `scope`. Raises ControlError, NoControlError, SettingsError."""
        return sources.control().decisions(
            limit=self.limit,
            since=f"{scope.span.start.timestamp():.0f}",
            model=scope.model_name,
            path=self.path,
            strategy=self.strategy,
            engine=self.engine,
            fallback=self.fallback,
            status=self.status,
            observed=None if self.observed is None else str(self.observed).lower(),
        )


def chosen() -> Filters:
    """Draw the filters, folded up behind a button that says what is narrowed."""
    told = ", ".join(filter(None, map(_now, (_PATH, _STRATEGY, _ENGINE, _FALLBACK, _STATUS, _WHOSE))))
    with st.popover(plain(told) or "All requests", icon=":material/filter_list:", help="Which requests are drawn and listed"):
        last = st.segmented_control("At most", LAST, default=LAST[0], key=_LAST, bind="query-params", required=True)
        path = _one("Path", list(Path), _PATH)
        strategy = _one("Strategy", strategy_names.choices(), _STRATEGY)
        engine = _one("Engine, of either pool", _engines(), _ENGINE)
        fallback = _one("Not served as configured", [ANY_FALLBACK, *sorted(_seen())], _FALLBACK)
        status = _one("Status", _STATUSES, _STATUS)
        whose = _one("Carried out", (_ROUTED, _OBSERVED), _WHOSE)
    observed = {_ROUTED: False, _OBSERVED: True}.get(whose or "")
    return Filters(last or LAST[0], path, strategy, engine, fallback, status, observed)


def remember(reasons: Iterable[str]) -> None:
    """Fallbacks that came up are offered to filter by."""
    st.session_state[_SEEN] = _seen() | set(reasons)


def _one(label: str, options: Sequence[str], key: str) -> str | None:
    """What is picked, or named by a link though it is not among `options`; None for any."""
    value: str | None = st.selectbox(
        label, options, index=None, key=key, placeholder="any", bind="query-params", accept_new_options=True,
    )  # fmt: skip
    return (value or "").strip() or None


def _now(key: str) -> str | None:
    """What is picked, before the widget that says so is drawn."""
    if key in st.session_state:
        value: str | None = st.session_state[key]
        return value
    return st.query_params.get(key)


def _engines() -> list[str]:
    with notices.quiet():
        return sorted(engine.name for engine in sources.state().engines)
    return []


def _seen() -> set[str]:
    reasons: set[str] = st.session_state.get(_SEEN, set())
    return reasons
