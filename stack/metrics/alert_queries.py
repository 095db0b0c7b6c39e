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


def fired(window: str = "24h", step: str = "1m", where: Where = EVERYWHERE) -> Query:
    """Looked at every `step` of the last `window`."""
    narrowed = ",".join(text for text in ('alertname=~"Kvdeck.+",alertstate="firing"', matchers(where)) if text)
    each = f"max by (cluster, namespace, model_name, alertname, severity) (ALERTS{{{narrowed}}})"
    text = "Of each alert that fired in this time, for how much of it."
    return Query(
        f"count_over_time(({each})[{window}:{step}]) / scalar(count_over_time(vector(1)[{window}:{step}]))", "ratio", (), text
    )
