"""What the Overview asks of Prometheus: four questions of now and three of the time that is looked at."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta

from dashboard.bundles import Bundles
from stack.engines import overview_queries
from stack.metrics import alert_queries, objective_queries, queries
from stack.metrics.promql import EVERYWHERE, Where
from stack.metrics.queries import Query

RATE, NOW = "1m", "5m"
"""What a page tells as of now is over these: the rate of requests, and the rest."""


@dataclass(frozen=True, slots=True)
class Asked:
    """Each query by its name: of now, and `over` the whole time that is looked at.

    What is told as of now is over `rated` (requests), over `missed` (objectives) and over `told` (the rest), in PromQL's words.
    """

    now: Bundles
    over: Bundles
    rated: str
    missed: str
    told: str

    @property
    def queries(self) -> Mapping[str, Query]:
        """All of them by name."""
        return {name: query for bundle in (*self.now.values(), *self.over.values()) for name, query in bundle.items()}


def asked(
    length: timedelta,
    window: str = queries.WINDOW,
    fleet: Where = EVERYWHERE,
    model: Where = EVERYWHERE,
    *,
    rated: str = RATE,
    told: str = NOW,
) -> Asked:
    """Of the last `length`, in rates over `window`; `fleet` narrows what has no model, `model` the rest."""
    missed = objective_queries.window_within(length.total_seconds())
    return Asked(
        rated=rated,
        missed=missed,
        told=told,
        now={
            "alarms": {
                "firing": alert_queries.active(fleet),
                "rules": overview_queries.rules_recorded(fleet),
            },
            "clients": {
                "requests": overview_queries.requests(model, rated),
                "ttft": overview_queries.first_token(model, told),
                "itl": overview_queries.token_gap(model, told),
                "missed": objective_queries.missed(model, missed),
                "budget": objective_queries.budget(model),
                "bound": objective_queries.bound(model),
            },
            "caches": {
                "hits": overview_queries.hit_ratio(model, told),
                "sources": overview_queries.sources(model, told),
            },
            "pools": {
                "replicas": overview_queries.replicas(model),
                "routable": overview_queries.routable(model),
                "listed": overview_queries.listed(model),
                "load": overview_queries.load(model),
                "kv used": overview_queries.kv_used(model),
            },
        },
        over={
            "course of caches": {
                "waterfall over time": queries.waterfall(model, window),
                "hits over time": overview_queries.hit_ratio(model, window, models=False),
            },
            "course of latencies": {
                "ttft over time": overview_queries.first_token(model, window),
                "itl over time": overview_queries.token_gap(model, window),
            },
            "course of load": {
                "requests over time": overview_queries.requests(model, window),
                "load over time": overview_queries.pool_load(model),
            },
        },
    )
