"""One engine's kept connections."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

from stack.router.upstream_link import Link


class LinkPool:
    """Idle connections, the ones used last first; what is in use is not here."""

    __slots__ = ("_clock", "_gone", "_idle_s", "_links", "_most")

    def __init__(self, most: int, idle_s: float, clock: Callable[[], float]) -> None:
        """At most `most` connections, each idle for less than `idle_s` seconds."""
        self._most = most
        self._idle_s = idle_s
        self._clock = clock
        self._links: deque[Link] = deque()
        self._gone = False

    def take(self) -> Link | None:
        """A connection that should still be open; None when there is none."""
        while self._links:
            link = self._links.pop()  # the one used last: the others grow old and go
            if link.reusable and self._clock() - link.idle_since < self._idle_s:
                return link
            link.close()
        return None

    def give_back(self, link: Link) -> None:
        """A request on `link` is over. Where its answer was not read to the end it is cut, which stops the engine's work."""
        if self._gone or not link.reusable:
            link.close()
            return
        link.idle_since = self._clock()
        self._links.append(link)
        while len(self._links) > self._most or link.idle_since - self._links[0].idle_since >= self._idle_s:
            self._links.popleft().close()

    def clear(self) -> None:
        """The engine left: close what is idle and keep nothing any more."""
        self._gone = True
        for link in self._links:
            link.close()
        self._links.clear()
