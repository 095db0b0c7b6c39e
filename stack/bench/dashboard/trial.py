"""All that is measured before one fleet, in turn."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from statistics import median
from typing import TypeVar

from stack.bench.dashboard import clock, query_log
from stack.bench.dashboard.browser import BrowserError, Window
from stack.bench.dashboard.console import Console
from stack.bench.dashboard.query_log import Asked
from stack.bench.dashboard.report import Away, Fleet, Paint, Queries, Refreshing, Sessions, Times
from stack.bench.dashboard.stand import Stand

T = TypeVar("T")

REFRESH_S = 5.0  # how often a page refreshes itself unless told otherwise
OTHER_PAGE = "Control"  # one to go to while Prometheus is away
_MB = 1e6
_LOOKS = 3.5  # refreshes of each page whose queries are counted


@dataclass(frozen=True, slots=True, kw_only=True)
class Amount:
    """How much to measure: `paints` with each kind of cache, `seconds` of open pages, `sessions` of them at once (0: none)."""

    paints: int
    seconds: float
    sessions: int


@dataclass(frozen=True, slots=True)
class Trial:
    """Measures `console` before `stand` in `window`; `tell` is told what is being done. Prometheus is gone at its end."""

    window: Window
    console: Console
    stand: Stand
    amount: Amount
    tell: Callable[[str], None]

    def run(self) -> Fleet:
        """Raises ProcessError, and BrowserError where not even Overview is painted; what else cannot be measured is told."""
        missing: list[str] = []
        return Fleet(
            engines=len(self.stand.targets),
            paint=self._paint(),
            refresh=_tried(self._refresh, missing),
            sessions=_tried(self._sessions, missing) if self.amount.sessions else None,
            queries=_tried(lambda: dict(self._queries()), missing) or {},
            hung=_tried(self._hung, missing),
            down=_tried(self._down, missing),
            missing=missing,
        )

    def _paint(self) -> Paint:
        self.tell("first useful paint")
        url = self.console.url
        (first,) = self.window.paints(url, warm=0)
        cold = [self.window.paints(url, warm=0)[0] for _ in range(self.amount.paints)]
        _, *warm = self.window.paints(url, warm=self.amount.paints)
        return Paint(first=first, cold=Times.of(cold), warm=Times.of(warm))

    def _refresh(self) -> Refreshing:
        self.tell("refreshes of one page")
        seen = list(clock.refreshes(self.window.left_open(self.console.url, self.amount.seconds)))
        return Refreshing(took=Times.of([one.seconds for one in seen]), bytes=median(one.bytes for one in seen) if seen else 0.0)

    def _sessions(self) -> Sessions:
        """The refreshes that came are counted: sessions that starve cost little."""
        count, seconds = self.amount.sessions, self.amount.seconds
        self.tell(f"{count} open pages")
        used: list[tuple[float, float]] = []
        marks = self.window.left_open_together(self.console.url, count, lambda: used.append(self.console.watched(seconds)))
        came = sum(len(list(clock.refreshes(one))) + 2 for one in marks)  # the first and the last of each are left out there
        (share, resident), due = used[0], count * seconds / REFRESH_S
        return Sessions(open=count, seconds=seconds, core_share=share, resident_mb=resident / _MB, refreshed=min(1.0, came / due))

    def _queries(self) -> Iterator[tuple[str, Queries]]:
        replicas = [target.replica for target in self.stand.targets]
        for title, address in self.window.pages(self.console.url).items():
            self.tell(f"queries of {title}")
            before = len(self.stand.asked())
            self.window.look(address, _LOOKS * REFRESH_S)
            asked = self.stand.asked()[before:]
            rounds = list(query_log.refreshes(asked))
            yield (
                title,
                Queries(
                    most=max(map(len, rounds), default=0),
                    seconds=max(map(_seconds, rounds), default=0.0),
                    engines=query_log.naming(asked, replicas),
                ),
            )

    def _hung(self) -> Away:
        self.tell("Prometheus hangs")
        self.stand.hang_prometheus()
        try:
            return self._away()
        finally:
            self.stand.wake_prometheus()

    def _down(self) -> Away:
        self.tell("Prometheus is down")
        self.stand.end_prometheus()
        return self._away()

    def _away(self) -> Away:
        told, clicked = self.window.away(self.console.url, OTHER_PAGE)
        return Away(told=told, clicked=clicked)


def _tried(measure: Callable[[], T], missing: list[str]) -> T | None:
    try:
        return measure()
    except BrowserError as error:
        missing.append(str(error))
        return None


def _seconds(asked: list[Asked]) -> float:
    return sum(one.seconds for one in asked)
