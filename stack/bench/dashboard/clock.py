"""The clock that runs in the page: when it was painted, what it asked for, and when it last changed."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

import msgspec

QUIET_MS = 1000.0  # refreshes are seconds apart; what follows sooner belongs to the one before
# The verdict, and the numbers under it. Streamlit names its elements so for tests.
VERDICT = '[data-testid="stAlert"]'
NUMBER = '[data-testid="stMetricValue"]'

# Runs in the page before anything of its own. `there` decides what a useful paint is; a frame later it is on the screen.
SCRIPT = """
(() => {
  const clock = window.kvdeckClock = {painted: null, sent: [], received: [], changed: []};
  const Plain = window.WebSocket;
  window.WebSocket = class extends Plain {
    constructor(...given) {
      super(...given);
      const size = (event) => event.data.byteLength ?? event.data.size ?? 0;
      this.addEventListener("message", (event) => clock.received.push([performance.now(), size(event)]));
    }
    send(data) { clock.sent.push(performance.now()); super.send(data); }
  };
  const there = () => document.querySelector('%s') && document.querySelectorAll('%s').length >= %d;
  const changed = (records) => {
    if (clock.painted === null && there()) {
      clock.painted = 0;
      requestAnimationFrame(() => setTimeout(() => { clock.painted = performance.now(); }));
    }
    const main = document.querySelector('[data-testid="stMain"]');
    if (main && records.some((record) => main.contains(record.target))) clock.changed.push(performance.now());
  };
  const observer = new MutationObserver(changed);
  observer.observe(document, {subtree: true, childList: true, characterData: true, attributes: true});
})();
"""


class Marks(msgspec.Struct, frozen=True, kw_only=True):
    """What the clock says; milliseconds since the navigation began. `received` are time and bytes of each message."""

    painted: float | None
    sent: list[float]
    received: list[tuple[float, float]]
    changed: list[float]


class Refresh(msgspec.Struct, frozen=True, kw_only=True):
    """One refresh: from the first request to the last change on the page, in seconds, and the bytes that came for it."""

    seconds: float
    bytes: float


def script(numbers: int) -> str:
    """The clock for a page whose useful paint has a verdict and so many numbers."""
    return SCRIPT % (VERDICT, NUMBER, numbers)


def refreshes(marks: Marks) -> Iterator[Refresh]:
    """Every refresh that is over, after the page's first drawing; the last one may still be under way and is left out."""
    events = sorted([*((at, True) for at in marks.sent), *((at, False) for at in marks.changed)])
    begins = _begins(events)
    for begin, end in itertools.pairwise(begins[1:]):
        changes = [at for at in marks.changed if begin <= at < end]
        if changes:
            received = sum(size for at, size in marks.received if begin <= at < end)
            yield Refresh(seconds=(changes[-1] - begin) / 1000, bytes=received)


def _begins(events: Sequence[tuple[float, bool]]) -> list[float]:
    """A request begins a refresh when nothing was going on before it."""
    last, begins = float("-inf"), []
    for at, is_request in events:
        if is_request and at - last > QUIET_MS:
            begins.append(at)
        last = at
    return begins
