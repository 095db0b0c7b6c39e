"""The desk where questions to Prometheus are handed in: each is asked once for all who want to know the same."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from datetime import datetime

import pandas as pd

from dashboard.promapi import AT_ONCE, PromApi, PrometheusUnavailableError, Sample

DEADLINE_SECONDS = 1.5  # with the page's own way to the browser, Prometheus is said to be away within three seconds
KEPT_SECONDS = 60.0
KEPT_ANSWERS = 300
_FAILED_SECONDS = 4.0  # the next refresh asks again

Value = list[Sample] | pd.DataFrame


@dataclass(frozen=True, slots=True)
class Inquiry:
    """What is asked: an expression at `end`, or from `start` to it."""

    expression: str
    start: datetime | None
    end: datetime


@dataclass(frozen=True, slots=True)
class Failed:
    """Why a question has no answer."""

    why: str


@dataclass(frozen=True, slots=True)
class _Kept:
    future: Future[Value]
    at: float


class Desk:
    """Asks one Prometheus, several questions at once, and keeps the answers for a while.

    A question that is not answered by the deadline goes on: the next who asks the same may find its answer. Frames are shared by
    all sessions: who changes one changes it for all, so they are handed out as copies that share their data.
    """

    def __init__(
        self,
        prometheus: PromApi,
        clock: Callable[[], float] = time.monotonic,
        deadline: float = DEADLINE_SECONDS,
        kept: int = KEPT_ANSWERS,
    ) -> None:
        self._prometheus, self._clock, self._deadline, self._most = prometheus, clock, deadline, kept
        self._pool = ThreadPoolExecutor(AT_ONCE, thread_name_prefix=f"prometheus {prometheus.address}")
        self._lock = threading.Lock()
        self._kept: OrderedDict[Inquiry, _Kept] = OrderedDict()

    def begin(self, inquiries: Sequence[Inquiry]) -> list[Future[Value] | None]:
        """Have them asked, unless they are; None while Prometheus is left alone."""
        with self._lock:
            return [self._found(inquiry) or self._asked(inquiry) for inquiry in inquiries]

    def answers(self, inquiries: Sequence[Inquiry]) -> list[Value | Failed]:
        """One answer a question, in their order, within the deadline."""
        asked = self.begin(inquiries)
        wait([future for future in asked if future is not None], timeout=0 if self._prometheus.away else self._deadline)
        answers = [self._answer(future) for future in asked]
        if asked and not any(future is not None and future.done() for future in asked):
            self._prometheus.rest(self._late)
        with self._lock:
            for inquiry, future in zip(inquiries, asked, strict=True):
                if future is not None and not future.done() and future.cancel():
                    self._kept.pop(inquiry, None)  # it had not been asked yet
        return answers

    def _found(self, inquiry: Inquiry) -> Future[Value] | None:
        kept = self._kept.get(inquiry)
        if kept is None:
            return None
        age = self._clock() - kept.at
        failed = kept.future.done() and kept.future.exception() is not None
        if age > (_FAILED_SECONDS if failed else KEPT_SECONDS):
            return None
        self._kept.move_to_end(inquiry)
        return kept.future

    def _asked(self, inquiry: Inquiry) -> Future[Value] | None:
        """None while Prometheus is left alone."""
        if self._prometheus.away is not None:
            return None
        future = self._pool.submit(self._put, inquiry)
        self._kept[inquiry] = _Kept(future, self._clock())
        while len(self._kept) > self._most:
            self._kept.popitem(last=False)
        return future

    def _put(self, inquiry: Inquiry) -> Value:
        if inquiry.start is None:
            return self._prometheus.instant(inquiry.expression, inquiry.end.timestamp())
        return self._prometheus.series(inquiry.expression, inquiry.start, inquiry.end)

    def _answer(self, future: Future[Value] | None) -> Value | Failed:
        if future is None or not future.done():
            return Failed(self._prometheus.away or self._late)
        try:
            value = future.result()
        except PrometheusUnavailableError as error:
            return Failed(str(error))
        return value.copy(deep=False) if isinstance(value, pd.DataFrame) else value

    @property
    def _late(self) -> str:
        return f"Prometheus at {self._prometheus.address}: no answer within {self._deadline:g} s"
