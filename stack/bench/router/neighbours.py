"""What else the machine did meanwhile: figures of a machine that others use, too, are worth less, and should say so."""

from __future__ import annotations

import resource
import time

import psutil

from stack.bench.router.process import Yard

NOTABLE = 0.05  # of all cores; an idle machine's own services stay below


def share(busy: float, own: float, seconds: float) -> float:
    """What part of `seconds` the cores worked for others; clocks that tick apart make it no less than nothing."""
    return min(1.0, max(0.0, (busy - own) / seconds))


class Neighbours:
    """CPU time of processes that are not the benchmark's, from its making until `share`."""

    def __init__(self, yard: Yard) -> None:
        self._yard = yard
        self._began, self._busy, self._own = time.monotonic(), _busy(), self._ours()

    def share(self) -> float:
        """Of all cores' time, from 0 to 1. Raises ProcessError."""
        seconds = (time.monotonic() - self._began) * (psutil.cpu_count() or 1)
        return share(_busy() - self._busy, self._ours() - self._own, seconds)

    def _ours(self) -> float:
        """Of this process, of what it runs in the yard, and of what it ran to an end."""
        ended = resource.getrusage(resource.RUSAGE_CHILDREN)
        return time.process_time() + self._yard.cpu_seconds() + ended.ru_utime + ended.ru_stime


def _busy() -> float:
    """Seconds that all cores together have worked since the machine started; what a hypervisor took from them counts."""
    times = psutil.cpu_times()
    return float(sum(getattr(times, name, 0.0) for name in ("user", "nice", "system", "irq", "softirq", "steal")))
