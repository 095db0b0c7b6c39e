"""What the supervisor does now and then: small logs, and a memory of who maps which shared memory."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable
from pathlib import Path

from stack.local import log_rotation
from stack.local.process import ChildProcess
from stack.local.spec import Running

log = logging.getLogger(__name__)

INTERVAL_SECONDS = 10.0


async def keep_house(logs: Path, running: Callable[[], Iterable[Running]], interval_seconds: float = INTERVAL_SECONDS) -> None:
    """For ever. Segments are noted while their owners live: an engine that is killed cannot be asked any more."""
    while True:
        await asyncio.sleep(interval_seconds)
        try:
            for life in running():
                if isinstance(life, ChildProcess):
                    life.note_segments()
            log_rotation.rotate(logs)
        except OSError:  # a full disk, say: components must not fall over it
            log.exception("housekeeping failed")
