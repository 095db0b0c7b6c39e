"""One engine's kept connections, and how requests on them begin."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

from stack.router.upstream_link import Link


class LinkPool:
    """Idle connections, the ones used last first; what is in use is not here."""

    __slots__ = ("_clock", "_gone", "_host", "_idle_s", "_links", "_most", "_openings", "url")

    def __init__(self, url: str, most: int, idle_s: float, clock: Callable[[], float]) -> None:
        """At most `most` connections to `url`, each idle for less than `idle_s` seconds."""
        self._host = url.removeprefix("http://").rstrip("/")
        self._openings: dict[tuple[str, str], bytes] = {}
        self._most = most
        self._idle_s = idle_s
        self._clock = clock
        self._links: deque[Link] = deque()
        self._gone = False
        self.url = url

    def opening(self, method: str, path: str) -> bytes:
        """Request line and Host header. `path` is one of the few that engines are asked at. Raises ValueError on a line break."""
        opening = self._openings.get((method, path))
        if opening is None:
            opening = f"{method} {path} HTTP/1.1\r\nhost: {self._host}\r\n".encode("ascii")
            if opening.count(b"\n") != 2 or opening.count(b"\r") != 2:
                raise ValueError("a request's line holds a line break")
            self._openings[method, path] = opening
        return opening

    def take(self, now: float | None = None) -> Link | None:
        """A connection that should still be open; None when there is none. `now` is on the clock, for those who know."""
        while self._links:
            link = self._links.pop()  # the one used last: the others grow old and go
            if link.reusable and (self._clock() if now is None else now) - link.idle_since < self._idle_s:
                return link
            link.close()
        return None

    def give_back(self, link: Link, now: float | None = None) -> None:
        """A request on `link` is over. Where its answer was not read to the end it is cut, which stops the engine's work.

        `now` is on the clock, for those who know.
        """
        if self._gone or not link.spent:
            link.close()
            return
        links = self._links
        link.idle_since = since = self._clock() if now is None else now
        links.append(link)
        while len(links) > self._most or since - links[0].idle_since >= self._idle_s:
            links.popleft().close()

    def clear(self) -> None:
        """The engine left: close what is idle and keep nothing any more."""
        self._gone = True
        for link in self._links:
            link.close()
        self._links.clear()
