"""The router's line to control: fetches the desired state, brings acknowledgements and decisions."""

from __future__ import annotations

from pathlib import Path
from types import TracebackType
from urllib.parse import quote

import httpx
import msgspec

from stack.adapters.trust import trusting
from stack.cache.relay import CacheUpdate
from stack.control.link import RouterReport
from stack.control.skew import Received, received

_REFUSED = frozenset({400, 413, 422})  # what is in it is not as it should be, or too much


class ControlUnavailableError(ConnectionError):
    """Control does not answer, or not with what was asked for; the router goes on with what it has."""


class ReportRefusedError(ControlUnavailableError):
    """Control does not take this report, and will not take it however often it comes."""


class ControlLink:
    """One router's connection to control at `url`. Use as an async context manager. Raises TrustError for `authorities`."""

    def __init__(
        self,
        url: str,
        router_id: str,
        *,
        token: str | None = None,
        authorities: Path | None = None,
        deadline_seconds: float = 5.0,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        self._path = f"/v1/routers/{quote(router_id, safe='')}"
        self._deadline = deadline_seconds
        self._http = httpx.AsyncClient(
            base_url=url,
            headers=headers,
            verify=trusting(authorities),
            timeout=deadline_seconds,
            transport=transport,
            trust_env=False,
        )

    async def config(self, version: int, wait_seconds: float) -> Received | None:
        """The configuration as soon as control's version differs from `version`, None when it did not within the wait.

        Raises ControlUnavailableError, and NotUnderstoodError for one of a release that asks for more than this one has.
        """
        params = {"version": str(version), "wait": f"{wait_seconds:g}"}
        answer = await self._send("GET", "/config", params=params, timeout=wait_seconds + self._deadline)
        if answer.status_code == 204:
            return None
        try:
            return received(answer.content)
        except msgspec.DecodeError as error:
            raise ControlUnavailableError(f"control sent no configuration: {error}") from error

    async def cache(self, epoch: int, since: int, wait_seconds: float) -> CacheUpdate:
        """What cache servers reported after `since`, at the latest after the wait. Raises ControlUnavailableError."""
        params = {"epoch": str(epoch), "since": str(since), "wait": f"{wait_seconds:g}"}
        answer = await self._send("GET", "/cache", params=params, timeout=wait_seconds + self._deadline)
        try:
            return msgspec.msgpack.decode(answer.content, type=CacheUpdate)
        except msgspec.DecodeError as error:
            raise ControlUnavailableError(f"control relayed no cache reports: {error}") from error

    async def report(self, report: RouterReport) -> None:
        """Bring one report. Raises ReportRefusedError, and ControlUnavailableError: then nobody knows whether it was taken."""
        await self._send("POST", "/report", content=msgspec.json.encode(report), timeout=self._deadline)

    async def _send(
        self, method: str, path: str, *, params: dict[str, str] | None = None, content: bytes | None = None, timeout: float
    ) -> httpx.Response:
        headers = {} if content is None else {"Content-Type": "application/json"}
        try:
            answer = await self._http.request(
                method, self._path + path, params=params, content=content, headers=headers, timeout=timeout
            )
        except httpx.HTTPError as error:
            raise ControlUnavailableError(f"control does not answer: {type(error).__name__}") from error
        if not answer.is_success:
            kind = ReportRefusedError if content is not None and answer.status_code in _REFUSED else ControlUnavailableError
            raise kind(f"control answered {answer.status_code}")
        return answer

    async def __aenter__(self) -> ControlLink:
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        await self._http.aclose()
