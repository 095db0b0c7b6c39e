"""What Prometheus knows of a busy fleet, and of one in trouble."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dashboard import figures
from stack.metrics import queries, routing_queries, spread_queries
from tests.dashboard.fakes import Series

WINDOW = figures.WINDOW
BUSY: Mapping[str, Sequence[Series]] = {
    queries.requests().expr: [({"code": "2xx"}, 1.5), ({"code": "5xx"}, 0.5)],
    spread_queries.time_to_first_token(window=WINDOW).expr: [
        ({"path": "direct", "quantile": "p50"}, 0.04),
        ({"path": "dpd", "quantile": "p50"}, 1.25),
        ({"path": "direct", "quantile": "p95"}, 0.09),
        ({"path": "dpd", "quantile": "p95"}, 2.5),
    ],
    spread_queries.inter_token_latency(window=WINDOW).expr: [({"path": "direct", "quantile": "p50"}, 0.008)],
    queries.hit_ratio(window=WINDOW).expr: [({"tier": "engine"}, 0.85), ({"tier": "l1"}, 0.0)],
    queries.waterfall(window="60s").expr: [({"source": "engine"}, 80.0), ({"source": "computed"}, 20.0)],
    queries.waterfall_shares(window="5m").expr: [({"source": "engine"}, 0.8), ({"source": "computed"}, 0.2)],
    spread_queries.time_to_first_token(window="60s").expr: [({"path": "direct", "quantile": "p95"}, 0.09)],
    queries.hit_ratio(window="60s").expr: [({"tier": "engine"}, 0.85)],
}
FIRING = {routing_queries.firing_alerts().expr: [({"alertname": "KvdeckEngineDown", "severity": "critical"}, 1.0)]}
