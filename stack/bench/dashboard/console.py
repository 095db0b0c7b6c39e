"""The dashboard under measurement: a process of its own, on a core of its own."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence

from stack.bench.dashboard.stand import Stand, await_answer
from stack.bench.router.process import Pinned, Yard
from stack.bench.router.stand import free_ports

NOWHERE = "http://127.0.0.1:9"


class Console:
    """`kvdeck dashboard` before the sources of a stand."""

    def __init__(self, yard: Yard, stand: Stand, cores: Sequence[int]) -> None:
        port = free_ports(1)[0]
        self.url = f"http://127.0.0.1:{port}"
        listen = ("--listen", f"127.0.0.1:{port}")
        sources = ("--prometheus-url", stand.url("prometheus"), "--control-url", stand.url("control"))
        environment = {"KVDECK_ROUTER_URL": stand.url("router"), "KVDECK_ALERTMANAGER_URL": NOWHERE}
        argv = (sys.executable, "-m", "stack.cli.main", "dashboard", *listen, *sources)
        self._process: Pinned = yard.start("dashboard", argv, cores, environment)

    def await_ready(self) -> None:
        """Raises ProcessError."""
        await_answer(f"{self.url}/_stcore/health", "the dashboard")

    def watched(self, seconds: float) -> tuple[float, float]:
        """What it needs while pages are open: the share of a core that it had for so long, and the bytes it held at the end."""
        before, began = self._process.cpu_seconds(), time.monotonic()
        time.sleep(seconds)
        spent = self._process.cpu_seconds() - before
        return spent / (time.monotonic() - began), float(self._process.resident_bytes())
