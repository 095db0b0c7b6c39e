"""Prometheus behind one seam: bounded in time, one error type, values that may be absent."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import pandas as pd
from prometheus_api_client import PrometheusConnect
from prometheus_api_client.exceptions import PrometheusApiClientException
from requests.exceptions import RequestException
from urllib3.util.retry import Retry

TIMEOUT_SECONDS = 5


class PrometheusUnavailableError(ConnectionError):
    """Prometheus did not answer, or refused the query; the message is for the page."""


@dataclass(frozen=True, slots=True)
class Sample:
    """One value of an instant query, `at` in Unix seconds."""

    labels: Mapping[str, str]
    value: float
    at: float


class PromApi:
    """Asks one Prometheus. Samples that are NaN (0/0: nothing happened) count as absent."""

    def __init__(self, url: str, headers: Mapping[str, str] | None = None) -> None:
        self.url = url.rstrip("/")
        # The library's default waits for ever and retries three times with back-off.
        self._prometheus = PrometheusConnect(
            url=self.url, headers=dict(headers or {}), retry=Retry(total=0), timeout=TIMEOUT_SECONDS
        )

    def instant(self, expression: str) -> list[Sample]:
        """Every present sample of `expression` now. Raises PrometheusUnavailableError."""
        answer = self._ask(lambda: self._prometheus.custom_query(expression))
        samples = [Sample(row["metric"], float(row["value"][1]), float(row["value"][0])) for row in answer]
        return [sample for sample in samples if math.isfinite(sample.value)]

    def scalar(self, expression: str) -> float | None:
        """The single value of `expression`, None when absent. Raises PrometheusUnavailableError."""
        samples = self.instant(expression)
        return samples[0].value if samples else None

    def series(self, expression: str, minutes: int, points: int = 120, now: datetime | None = None) -> pd.DataFrame:
        """`expression` over the last `minutes`: columns `time`, `value` and one a label; gaps stay gaps.

        Raises PrometheusUnavailableError.
        """
        end = now or datetime.now(UTC)
        start = end - pd.Timedelta(minutes=minutes)
        step = max(5, minutes * 60 // points)
        answer = self._ask(lambda: self._prometheus.custom_query_range(expression, start, end, str(step)))
        rows = [
            {**row["metric"], "time": pd.Timestamp(float(at), unit="s", tz="UTC"), "value": number}
            for row in answer
            for at, value in row["values"]
            if math.isfinite(number := float(value))
        ]
        return pd.DataFrame(rows, columns=None if rows else ["time", "value"])

    def _ask(self, question: Any) -> list[dict[str, Any]]:
        try:
            answer: list[dict[str, Any]] = question()
        except (RequestException, PrometheusApiClientException, ValueError, KeyError) as error:
            raise PrometheusUnavailableError(f"Prometheus at {self.url}: {_cause(error)}") from error
        return answer


def _cause(error: Exception) -> str:
    if isinstance(error, RequestException):
        return "no answer within 5 s" if "timed out" in str(error).lower() else "it cannot be reached"
    return f"it refused the query ({str(error)[:200]})"
