"""The decisions that control remembers: what was found, how far back it goes, and what is said where there are none."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from dashboard import notices, reader
from dashboard.deciding import filters
from dashboard.deciding.filters import Filters
from dashboard.scope import Scope
from dashboard.wording import code, plain
from stack.api.schema import DecisionsView
from stack.control.decision import DecisionRecord


def found(scope: Scope, narrowed: Filters) -> DecisionsView | None:
    """The decisions looked for; None where control does not tell, as was just said."""
    with notices.told():
        view = narrowed.found(scope)
        filters.remember(reason for decision in view.decisions for reason in decision.fallbacks)
        if view.dropped:
            st.warning(f"{view.dropped} records were dropped on the way: the picture is incomplete.")
        if view.files is not None and (view.files.error or view.files.lost):
            why = view.files.error or "mended since"
            st.warning(f"{view.files.lost} decisions are not in {code(view.files.folder)}: {plain(why)}.")
        return view
    return None


def nothing(view: DecisionsView, narrowed: Filters) -> None:
    """Why there is no decision to show."""
    if narrowed.narrowed:
        st.info("No request in this range went this way.")
    elif view.kept:
        st.info("No request was routed in this range.")
    else:
        st.info("No request has been routed yet. Send one to the router, or start traffic with `kvdeck start traffic`.")


def reach(view: DecisionsView, scope: Scope, narrowed: Filters) -> None:
    """From when to when what is shown is, and why it is not all of the range."""
    count = len(view.decisions)
    told = f"{count} {'request' if count == 1 else 'requests'} of this range, {_between(view.decisions)}"
    if count == narrowed.limit:
        told = f"The newest {told}, not the whole of it"
        if count < filters.LAST[-1]:
            told += f": up to {filters.LAST[-1]} are to be had by the filter above"
    if view.oldest_at is not None and view.oldest_at > scope.span.start.timestamp():
        began = reader.moment(view.oldest_at)
        told += f". Control remembers {view.kept:,} decisions, back to {began:%Y-%m-%d %H:%M:%S}: this range begins earlier"
    st.caption(f"{told}. From control, which routers tell of every request.")


def _between(decisions: Sequence[DecisionRecord]) -> str:
    times = [decision.at for decision in decisions]  # they come in the order in which routers told of them
    first, last = reader.moment(min(times)), reader.moment(max(times))
    form = "%H:%M:%S" if first.date() == last.date() else "%b %d, %H:%M:%S"
    return f"from {first:{form}} to {last:{form}}"
