"""Prometheus behind one seam, against a real HTTP server that plays it."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from dashboard.promapi import PromApi, PrometheusUnavailableError, Sample, step_seconds

START = datetime(1970, 1, 1, tzinfo=UTC)
END = START + timedelta(minutes=5)


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
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
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


def test_a_range_becomes_rows_with_their_labels_and_gaps_stay_gaps() -> None:
    values = [[100.0, "1"], [105.0, "NaN"], [110.0, "3"], [125.0, "4"]]
    with prometheus([{"metric": {"pool": "decode"}, "values": values}]) as api:
        frame = api.series("x", START, END)
    assert [(at.timestamp(), value) for at, value in zip(frame["time"], frame["value"].fillna(-1), strict=True)] == [
        (100.0, 1.0),
        (105.0, -1.0),
        (110.0, 3.0),
        (115.0, -1.0),
        (120.0, -1.0),
        (125.0, 4.0),
    ]
    assert set(frame["pool"]) == {"decode"}


def test_an_empty_range_has_its_columns() -> None:
    with prometheus([]) as api:
        assert list(api.series("x", START, END).columns) == ["time", "value"]


def test_a_series_of_nothing_but_nan_is_empty() -> None:
    with prometheus([{"metric": {}, "values": [[100.0, "NaN"]]}]) as api:
        assert api.series("x", START, END).empty


@pytest.mark.parametrize(("minutes", "seconds"), [(5, 5), (15, 10), (60, 30), (360, 180), (1440, 720)])
def test_a_range_has_about_as_many_points_whatever_its_length_and_they_are_whole_scrapes_apart(minutes: int, seconds: int) -> None:
    assert step_seconds(START, START + timedelta(minutes=minutes)) == seconds


def test_a_refused_query_is_one_kind_of_error() -> None:
    with prometheus([], status=400) as api, pytest.raises(PrometheusUnavailableError, match="it refused the query"):
        api.instant("x(")


def test_a_prometheus_that_is_down_is_the_same_kind_of_error() -> None:
    with pytest.raises(PrometheusUnavailableError, match="it cannot be reached"):
        PromApi("http://127.0.0.1:9").instant("x")


@pytest.mark.parametrize("result", [3, ["up"], [{"value": [1, 2]}], [{"metric": {}, "value": [1]}]])
def test_something_else_that_answers_is_not_taken_for_prometheus(result: object) -> None:
    with prometheus(result) as api, pytest.raises(PrometheusUnavailableError, match="is not Prometheus"):
        api.instant("x")
