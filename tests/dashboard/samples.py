"""What Prometheus knows of a busy fleet, and of one in trouble."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dashboard import figures
from stack.metrics import queries, routing_queries
from tests.dashboard.fakes import Series

WINDOW = figures.WINDOW
BUSY: Mapping[str, Sequence[Series]] = {
    queries.requests().expr: [({"code": "2xx"}, 1.5), ({"code": "5xx"}, 0.5)],
    queries.time_to_first_token(0.5, window=WINDOW).expr: [({"path": "direct"}, 0.04), ({"path": "dpd"}, 1.25)],
    queries.time_to_first_token(0.95, window=WINDOW).expr: [({"path": "direct"}, 0.09), ({"path": "dpd"}, 2.5)],
    queries.inter_token_latency(0.5, window=WINDOW).expr: [({"path": "direct"}, 0.008)],
    queries.hit_ratio(window=WINDOW).expr: [({"tier": "engine"}, 0.85), ({"tier": "l1"}, 0.0)],
    queries.waterfall(window="60s").expr: [({"source": "engine"}, 80.0), ({"source": "computed"}, 20.0)],
    queries.waterfall_shares(window="5m").expr: [({"source": "engine"}, 0.8), ({"source": "computed"}, 0.2)],
    queries.time_to_first_token(0.95, window="60s").expr: [({"path": "direct"}, 0.09)],
    queries.hit_ratio(window="60s").expr: [({"tier": "engine"}, 0.85)],
}
FIRING = {routing_queries.firing_alerts().expr: [({"alertname": "KvdeckEngineDown", "severity": "critical"}, 1.0)]}
