"""One client on one connection, timed."""

from __future__ import annotations

import http.client
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from urllib.parse import urlsplit

from stack.bench.router.process import ProcessError

_LIMIT_SECONDS = 30.0


class Line:
    """A kept connection to `url`."""

    def __init__(self, url: str) -> None:
        self._connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=_LIMIT_SECONDS)

    def ask(self, path: str, body: bytes) -> float:
        """Seconds from the request's first byte to the answer's last. Raises ProcessError on anything but an answer."""
        began = time.perf_counter()
        try:
            self._connection.request("POST", path, body, {"content-type": "application/json"})
            answer = self._connection.getresponse()
            answer.read()
        except (OSError, http.client.HTTPException) as error:
            raise ProcessError(f"no answer: {type(error).__name__}: {error}") from error
        if answer.status != http.client.OK:
            raise ProcessError(f"status {answer.status} for {path}")
        return time.perf_counter() - began

    def close(self) -> None:
        """Hang up."""
        self._connection.close()


@contextmanager
def line(url: str) -> Iterator[Line]:
    """A line for the block."""
    made = Line(url)
    try:
        yield made
    finally:
        made.close()


def paced(url: str, path: str, bodies: Sequence[bytes], per_second: float) -> list[float]:
    """The seconds each took, asked at even intervals; one that is late holds up those behind it, which counts as theirs."""
    taken, began = [], time.perf_counter()
    with line(url) as way:
        for number, body in enumerate(bodies):
            due = began + number / per_second
            time.sleep(max(0.0, due - time.perf_counter()))
            way.ask(path, body)
            taken.append(time.perf_counter() - due)
    return taken
