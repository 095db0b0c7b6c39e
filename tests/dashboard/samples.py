"""What Prometheus knows of a busy fleet, and of one in trouble."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta

from dashboard.bundles import Bundles
from dashboard.overall.questions import asked
from stack.metrics.joined import joined
from stack.metrics.promql import EVERYWHERE, Where
from tests.dashboard.fakes import Series

Told = Mapping[str, Sequence[Series]]
"""Series by the name of the query that finds them."""
_SERVED: Told = {
    "requests": [({"code": "2xx"}, 1.5), ({"code": "5xx"}, 0.5)],
    "ttft": [
        ({"path": "direct", "quantile": "p50"}, 0.04),
        ({"path": "dpd", "quantile": "p50"}, 1.25),
        ({"path": "direct", "quantile": "p95"}, 0.09),
        ({"path": "dpd", "quantile": "p95"}, 2.5),
    ],
    "itl": [({"path": "direct", "quantile": "p50"}, 0.008)],
    "hits": [({"tier": "engine"}, 0.85), ({"tier": "l1"}, 0.0)],
    "sources": [({"source": "engine"}, 80.0), ({"source": "computed"}, 20.0)],
    "missed": [({"objective": "ttft"}, 0.02), ({"objective": "itl"}, 0.1), ({"objective": "request"}, 0.0)],
    "budget": [({"objective": "ttft"}, 0.05), ({"objective": "itl"}, 0.05), ({"objective": "request"}, 0.001)],
    "bound": [({"objective": "ttft"}, 2.5), ({"objective": "itl"}, 0.1)],
    "replicas": [
        ({"pool": "decode", "state": "desired"}, 2.0),
        ({"pool": "decode", "state": "ready"}, 2.0),
        ({"pool": "prefill", "state": "desired"}, 1.0),
        ({"pool": "prefill", "state": "ready"}, 1.0),
    ],
    "load": [({"pool": "decode", "state": "running"}, 7.0), ({"pool": "decode", "state": "waiting"}, 1.0)],
}
_COURSE: Told = {
    "requests over time": [({"code": "2xx"}, 1.5), ({"code": "5xx"}, 0.5)],
    "ttft over time": [({"path": "direct", "quantile": "p95"}, 0.09)],
    "hits over time": [({"tier": "engine"}, 0.85)],
}


def of_model(told: Told, model: str = "smollm2", **labels: str) -> Told:
    """The same series, of one model, and of a cluster or a namespace."""
    return {name: [({**own, "model_name": model, **labels}, value) for own, value in series] for name, series in told.items()}


def overview(*several: Told, where: Where = EVERYWHERE, length: timedelta = timedelta(minutes=15)) -> Told:
    """What a Prometheus answers to the Overview, whose queries find all of `several`."""
    questions = asked(length, fleet=where, model=where, window="60s")
    return answered({**questions.now, **questions.over}, *several)


def answered(bundles: Bundles, *several: Told) -> Told:
    """What a Prometheus answers to these bundles of queries, which find all of `several`."""
    return {
        joined(queries).expr: [
            ({**labels, "figure": name}, value) for name in queries for told in several for labels, value in told.get(name, ())
        ]
        for queries in bundles.values()
    }


SERVED: Told = {**of_model(_SERVED), "rules": [({}, 3.0)]}
COURSE: Told = {**of_model(_COURSE), "waterfall over time": [({"source": "engine"}, 80.0), ({"source": "computed"}, 20.0)]}
BUSY = overview(SERVED, COURSE)
ALARM: Told = {"firing": [({"alertname": "KvdeckEngineDown", "severity": "critical"}, 1.0)]}
FIRING = overview(SERVED, COURSE, ALARM)
