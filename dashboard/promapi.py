"""Prometheus behind one seam: bounded in time, one error type, values that may be absent."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeVar

import pandas as pd
from prometheus_api_client import PrometheusConnect
from prometheus_api_client.exceptions import PrometheusApiClientException
from requests.exceptions import RequestException, Timeout

from dashboard import signing
from dashboard.wording import address
from stack.adapters.http_access import Access

T = TypeVar("T")

TIMEOUT_SECONDS = 10.0  # nobody waits for it that long: what comes late is there at the next refresh
REST_SECONDS = 5.0
AT_ONCE = 12  # questions under way
SCRAPE_SECONDS = 5
POINTS = 120
_UNKNOWN = ("HTTP Status Code 401", "HTTP Status Code 403")  # how its client library writes it


class PrometheusUnavailableError(ConnectionError):
    """Prometheus did not answer, or refused the query; the message is for the page."""


class PrometheusAwayError(PrometheusUnavailableError):
    """Prometheus does not answer at all: no question will be, for now."""


@dataclass(frozen=True, slots=True)
class Sample:
    """One value of an instant query, `at` in Unix seconds."""

    labels: Mapping[str, str]
    value: float
    at: float


class PromApi:
    """Asks one Prometheus, from several threads. Samples that are NaN (0/0: nothing happened) count as absent.

    `address` is for people: the URL may hold a password.
    """

    def __init__(self, url: str, access: Access | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        self.url = url.rstrip("/")
        self.address = address(url)
        access = access or Access()
        session = signing.session(access)
        self._prometheus = PrometheusConnect(url=self.url, session=session, timeout=TIMEOUT_SECONDS)
        # The library's own adapter retries three times with back-off, and keeps fewer connections than there are questions.
        session.mount(self.url, signing.adapter(access, AT_ONCE))
        self._clock = clock
        self._away = ""
        self._rests_until = -math.inf

    def instant(self, expression: str, at: float | None = None) -> list[Sample]:
        """Every present sample of `expression` at `at` (Unix seconds), or now. Raises PrometheusUnavailableError."""
        params = None if at is None else {"time": f"{at:.3f}"}
        return self._ask(lambda: _samples(self._prometheus.custom_query(expression, params)))

    def series(self, expression: str, start: datetime, end: datetime) -> pd.DataFrame:
        """`expression` from `start` to `end`: columns `time` (UTC), `value` (None in a gap) and one a label.

        Raises PrometheusUnavailableError.
        """
        step = step_seconds(start, end)
        return self._ask(lambda: _frame(self._prometheus.custom_query_range(expression, start, end, str(step)), step))

    @property
    def away(self) -> str | None:
        """Why it is left alone for now; None: it may be asked."""
        return self._away if self._clock() < self._rests_until else None

    def rest(self, why: str) -> None:
        """Leave it alone for a while: nobody waits on every click for what does not answer."""
        self._away, self._rests_until = why, self._clock() + REST_SECONDS

    def _ask(self, question: Callable[[], T]) -> T:
        if (why := self.away) is not None:
            raise PrometheusAwayError(why)
        try:
            return question()
        # The last three: what answers is not Prometheus.
        except (RequestException, PrometheusApiClientException, ValueError, LookupError, TypeError) as error:
            raise self._told(error) from error

    def _told(self, error: Exception) -> PrometheusUnavailableError:
        text = f"Prometheus at {self.address}: {_cause(error)}"
        if isinstance(error, RequestException) and not isinstance(error, ValueError):
            self.rest(text)
            return PrometheusAwayError(text)
        return PrometheusUnavailableError(text)


def step_seconds(start: datetime, end: datetime) -> int:
    """How far apart the points of a range are: about a hundred of them, whole scrapes apart.

    So a range's course stays the same for some refreshes, and is neither asked for nor drawn anew.
    """
    return max(1, math.ceil((end - start).total_seconds() / POINTS / SCRAPE_SECONDS)) * SCRAPE_SECONDS


def _samples(answer: list[dict[str, Any]]) -> list[Sample]:
    samples = [Sample(row["metric"], float(row["value"][1]), float(row["value"][0])) for row in answer]
    return [sample for sample in samples if math.isfinite(sample.value)]


def _frame(answer: list[dict[str, Any]], step: int) -> pd.DataFrame:
    points = [(row["metric"], list(_points(row["values"], step))) for row in answer]
    if not any(course for _, course in points):
        return pd.DataFrame(columns=["time", "value"])
    names = dict.fromkeys(name for labels, _ in points for name in labels)
    # Plain objects: Arrow's strings, which pandas would make of them, are slower to tell apart than a page's charts to draw.
    labelled = {name: pd.Series([labels.get(name) for labels, course in points for _ in course], dtype=object) for name in names}
    times = pd.to_datetime([at for _, course in points for at, _ in course], unit="s", utc=True)
    return pd.DataFrame({**labelled, "time": times, "value": [value for _, course in points for _, value in course]})


def _points(values: list[list[Any]], step: int) -> Iterator[tuple[float, float | None]]:
    """The points of one series, None where it has none between its first and its last: or a line would be drawn over the gap."""
    known = {round(float(at)): number for at, text in values if math.isfinite(number := float(text))}
    for at in range(min(known), max(known) + 1, step) if known else ():
        yield at, known.get(at)


def _cause(error: Exception) -> str:
    match error:
        case Timeout():
            return f"no answer within {TIMEOUT_SECONDS:g} s"
        case signing.UnsignedError():
            return str(error)
        case PrometheusApiClientException() if str(error).startswith(_UNKNOWN):
            return f"it does not know who asks ({str(error)[:30]}): `--prometheus-config` says how it is asked"
        case PrometheusApiClientException():
            return f"it refused the query ({str(error)[:200]})"
        case RequestException() if not isinstance(error, ValueError):
            return "it cannot be reached"
        case _:
            return "what answers there is not Prometheus"
