"""What else the machine did meanwhile: what a busy one shows says less, and should say so."""

from __future__ import annotations

import time
from contextlib import suppress

import psutil


class Machine:
    """CPU time that others had, from its making until `others`: all that is not this process, its children, or theirs."""

    def __init__(self) -> None:
        self._began, self._busy, self._own = time.monotonic(), _busy(), _own()

    def others(self) -> float:
        """Of all cores' time, from 0 to 1."""
        seconds = (time.monotonic() - self._began) * (psutil.cpu_count() or 1)
        return min(1.0, max(0.0, (_busy() - self._busy - (_own() - self._own)) / seconds))


def _busy() -> float:
    """Seconds that all cores have worked since the machine started; what a hypervisor took from them counts."""
    times = psutil.cpu_times()
    return float(sum(getattr(times, name, 0.0) for name in ("user", "nice", "system", "irq", "softirq", "steal")))


def _own() -> float:
    seconds = 0.0
    own = psutil.Process()
    for process in (own, *own.children(recursive=True)):
        with suppress(psutil.NoSuchProcess):  # it ended just now: whoever waited for it has its time
            seconds += sum(process.cpu_times()[:4])
    return seconds
