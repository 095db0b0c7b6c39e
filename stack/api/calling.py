"""One control API over HTTP: where it is, who asks, and what its refusals are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self, TypeVar

import httpx
import msgspec

from stack.adapters.trust import trusting
from stack.api.answers import ControlUnreachableError, refusal
from stack.control.skew import understood

T = TypeVar("T")
Params = Mapping[str, str | Sequence[str]]

# A change waits up to 2 s for the routers; the rest is for a busy machine.
TIMEOUT_SECONDS = 8.0


class Calling:
    """Blocking; every call has a deadline; raises ControlUnreachableError and ControlAnswerError.

    `actor` is who the audit log names where control has no tokens, which say it otherwise. `authorities` is a PEM file of
    those whose certificates are believed, None for the common ones. Use it as a context manager, or call `close`.
    Raises TrustError.
    """

    def __init__(
        self,
        url: str,
        *,
        token: str | None = None,
        actor: str | None = None,
        authorities: Path | None = None,
        timeout_seconds: float = TIMEOUT_SECONDS,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        named = {"Authorization": f"Bearer {token}" if token else None, "X-Kvdeck-Actor": actor}
        headers = [(name.encode(), value.encode()) for name, value in named.items() if value]
        self.url, self._timeout_seconds = url, timeout_seconds
        self._http = httpx.Client(
            base_url=url,
            headers=headers,
            verify=trusting(authorities),
            timeout=timeout_seconds,
            transport=transport,
            trust_env=False,
        )

    def close(self) -> None:
        self._http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def _read(self, path: str, params: Params, kind: type[T]) -> T:
        return self._decode(self._send("GET", path, params, {}, None), kind)

    def _send(self, method: str, path: str, params: Params, headers: dict[str, str], body: bytes | None) -> httpx.Response:
        try:
            answer = self._http.request(
                method, path, params=params, headers=headers, content=body, timeout=self._patience(method, path)
            )
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise self._unreachable(error) from error
        if answer.is_success:
            return answer
        raise refusal(answer)

    def _patience(self, method: str, path: str) -> float:
        """How many seconds control has to answer that."""
        return self._timeout_seconds

    def _unreachable(self, error: Exception) -> ControlUnreachableError:
        return ControlUnreachableError(f"control does not answer at {self.url}: {str(error) or type(error).__name__}")

    def _decode(self, answer: httpx.Response, kind: type[T]) -> T:
        try:
            return understood(answer.content, kind)
        except msgspec.DecodeError as error:
            raise self._stranger(error) from error

    def _stranger(self, error: Exception) -> ControlUnreachableError:
        return ControlUnreachableError(f"what answers at {self.url} is not control: {error}")
