"""Asks a Prometheus for values at a time."""

from __future__ import annotations

import math
from collections.abc import Mapping

import httpx
import msgspec

from stack.adapters.http_access import Access
from stack.adapters.http_config import HttpConfigError

ANSWER_SECONDS = 10.0


class PrometheusError(ConnectionError):
    """Prometheus did not answer, or refused the question; the message says where."""


class _Sample(msgspec.Struct):
    metric: dict[str, str]
    value: tuple[float, str]


class _Data(msgspec.Struct):
    result: list[_Sample]


class _Answer(msgspec.Struct):
    data: _Data


def instant(url: str, expression: str, at: float, access: Access | None = None) -> list[tuple[Mapping[str, str], float]]:
    """Labels and value of every sample of `expression` at `at` (Unix seconds) that is a number, asked for as `access` says.

    Raises PrometheusError.
    """
    try:
        params = {"query": expression, "time": f"{at:.3f}"}
        with (access or Access()).client(ANSWER_SECONDS) as http:
            answer = http.get(f"{url.rstrip('/')}/api/v1/query", params=params)
        answer.raise_for_status()
        samples = msgspec.json.decode(answer.content, type=_Answer).data.result
        found = [(sample.metric, float(sample.value[1])) for sample in samples]
    except (httpx.HTTPError, httpx.InvalidURL, HttpConfigError, msgspec.DecodeError, ValueError) as error:
        raise PrometheusError(f"Prometheus at {url}: {str(error) or type(error).__name__}") from error
    return [(labels, value) for labels, value in found if math.isfinite(value)]
