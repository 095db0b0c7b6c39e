"""What a router's process does once, before it serves."""

from __future__ import annotations

import gc
import sys

from stack.adapters import logs


def prepare() -> None:
    """Logs, threads and garbage, for all of the process."""
    logs.configure()
    # A thread that renders a long chat yields to the loop after a millisecond, not after Python's five.
    sys.setswitchinterval(0.001)
    # What requests make is freed by counting references. A look for cycles every 700 objects would be an eighth of a
    # request's cost, and one through all records now and then a pause that streams feel.
    gc.freeze()
    gc.set_threshold(50_000, 20, 100)
