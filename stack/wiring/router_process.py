"""What a router's process does once, before it serves."""

from __future__ import annotations

import sys

from stack.adapters import logs
from stack.adapters.garbage import settle


def prepare() -> None:
    """Logs, threads and garbage, for all of the process."""
    logs.configure()
    # A thread that renders a long chat yields to the loop after a millisecond, not after Python's five.
    sys.setswitchinterval(0.001)
    settle()
