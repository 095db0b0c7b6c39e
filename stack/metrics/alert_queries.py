"""Questions about alerts, to Prometheus' own series of them."""

from __future__ import annotations

from stack.metrics.promql import EVERYWHERE, Where, matchers
from stack.metrics.queries import Query


def active(where: Where = EVERYWHERE) -> Query:
    """This project's alerts that fire or are pending: the value is since when, in Unix seconds, 0 where that is not told."""
    narrowed = ",".join(text for text in ('alertname=~"Kvdeck.+"', matchers(where)) if text)
    alerts = f"ALERTS{{{narrowed}}}"
    since = f"{alerts} * ignoring (alertstate) group_left () ALERTS_FOR_STATE{{{narrowed}}}"
    return Query(f"({since}) or ({alerts} * 0)", "seconds since 1970", (), "Alerts of kvdeck's rules by state, and since when.")
