"""Values come from a Prometheus, or an error says where it was looked for."""

from __future__ import annotations

import pytest

from stack.adapters.prometheus_query import PrometheusError, instant
from tests.dashboard.fakes import NOWHERE, prometheus
from tests.stack.wiring.ctl.stand import control, refusal


def test_samples_that_are_numbers_are_told() -> None:
    with prometheus({"up": [({"job": "a"}, 1.0), ({"job": "b"}, float("nan"))]}) as url:
        assert instant(url, "up", 1_700_000_000.0) == [({"job": "a"}, 1.0)]
        assert instant(f"{url}/", "down", 0.0) == []


def test_a_prometheus_that_is_away_is_an_error() -> None:
    with pytest.raises(PrometheusError, match="Prometheus at http://127"):
        instant(NOWHERE, "up", 0.0)


def test_something_else_that_answers_is_an_error() -> None:
    with control() as server:
        server.reads["/api/v1/query"] = refusal("nonsense")
        with pytest.raises(PrometheusError, match="data"):
            instant(f"http://127.0.0.1:{server.server_port}", "up", 0.0)
