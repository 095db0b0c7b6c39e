"""Control as pages ask it: a read waits for a moment only, and a control that hangs is left alone for a while."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import httpx

from stack.api.answers import ControlAnswerError, ControlUnreachableError
from stack.api.calling import Params
from stack.api.experiment_client import ExperimentClient

READ_SECONDS = 2.0  # with the page's own way to the browser, control is said to be away within three seconds
AWAY_SECONDS = 5.0
_AT_ONCE_SECONDS = 0.5  # who fails sooner, as a refused connection does, costs nobody time: it is asked each time
# Control asks others for these, or goes over thousands of requests: that they are late says nothing of control.
_LONGER = ("/v1/alerts", "/v1/silences", "/v1/what-if", "/v1/doctor")


class PageClient(ExperimentClient):
    """As ExperimentClient. Reads fail at once for some seconds after one was not answered in time; changes are always sent."""

    def __init__(
        self,
        url: str,
        *,
        token: str | None = None,
        actor: str | None = None,
        authorities: Path | None = None,
        transport: httpx.BaseTransport | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__(url, token=token, actor=actor, authorities=authorities, transport=transport)
        self._clock = clock
        self._away: tuple[float, str] | None = None  # until when, and why

    def _send(self, method: str, path: str, params: Params, headers: dict[str, str], body: bytes | None) -> httpx.Response:
        began, away = self._clock(), self._away
        if method == "GET" and away is not None and began < away[0]:
            raise ControlUnreachableError(away[1])
        try:
            answer = super()._send(method, path, params, headers, body)
        except ControlUnreachableError as error:
            now = self._clock()
            if now - began > _AT_ONCE_SECONDS and path not in _LONGER:
                self._away = (now + AWAY_SECONDS, str(error))
            raise
        except ControlAnswerError:
            self._away = None
            raise
        self._away = None
        return answer

    def _patience(self, method: str, path: str) -> float:
        short = method == "GET" and path not in _LONGER
        return READ_SECONDS if short else super()._patience(method, path)
