"""Prometheus behind one seam, against a real HTTP server that plays it."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from dashboard.promapi import PromApi, PrometheusUnavailableError, Sample


@contextmanager
def prometheus(result: object, status: int = 200) -> Iterator[PromApi]:
    """A server that answers every query with `result`."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = json.dumps({"status": "success", "data": {"result": result}}).encode()
            self.send_response(status)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None: ...

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield PromApi(f"http://127.0.0.1:{server.server_port}/")
        finally:
            server.shutdown()
            thread.join()


def test_an_instant_query_gives_labelled_samples() -> None:
    with prometheus([{"metric": {"tier": "l1"}, "value": [100.0, "0.5"]}]) as api:
        assert api.instant("x") == [Sample({"tier": "l1"}, 0.5, 100.0)]


def test_nothing_divided_by_nothing_is_absent() -> None:
    with prometheus([{"metric": {}, "value": [100.0, "NaN"]}]) as api:
        assert api.instant("x") == []
        assert api.scalar("x") is None


def test_a_range_becomes_rows_with_their_labels() -> None:
    with prometheus([{"metric": {"pool": "decode"}, "values": [[100.0, "1"], [105.0, "NaN"], [110.0, "3"]]}]) as api:
        frame = api.series("x", minutes=15, now=datetime(2026, 1, 1, tzinfo=UTC))
    assert frame[["pool", "value"]].to_dict("records") == [{"pool": "decode", "value": 1.0}, {"pool": "decode", "value": 3.0}]


def test_an_empty_range_has_its_columns() -> None:
    with prometheus([]) as api:
        assert list(api.series("x", minutes=15).columns) == ["time", "value"]


def test_a_refused_query_is_one_kind_of_error() -> None:
    with prometheus([], status=400) as api, pytest.raises(PrometheusUnavailableError, match="it refused the query"):
        api.instant("x(")


def test_a_prometheus_that_is_down_is_the_same_kind_of_error() -> None:
    with pytest.raises(PrometheusUnavailableError, match="it cannot be reached"):
        PromApi("http://127.0.0.1:9").instant("x")
