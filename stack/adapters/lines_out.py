"""Lines to a stream that nobody waits for."""

from __future__ import annotations

import logging
from queue import Full, Queue
from threading import Thread
from typing import BinaryIO

log = logging.getLogger(__name__)

WAITING_MAX = 10_000
CLOSE_SECONDS = 1.0  # for a reader to take what is left when the process ends


class LinesOut:
    """A thread writes to `stream`, whose reader may be slow or gone: then lines are lost and the log says so, once a spell."""

    def __init__(self, stream: BinaryIO, waiting_max: int = WAITING_MAX) -> None:
        self._stream = stream
        self._waiting: Queue[bytes | None] = Queue(waiting_max)
        self._losing = False
        self._thread = Thread(target=self._write, name="lines out", daemon=True)
        self._thread.start()

    def put(self, line: bytes) -> None:
        """Take `line`, which has no line break. From any thread; never waits."""
        try:
            self._waiting.put_nowait(line)
            self._losing = False
        except Full:
            if not self._losing:
                log.warning("lines are lost: their reader is too slow")
            self._losing = True

    def close(self) -> None:
        """Write what waits, if it is taken within a second."""
        try:
            self._waiting.put_nowait(None)
        except Full:
            return
        self._thread.join(CLOSE_SECONDS)

    def _write(self) -> None:
        gone = False
        while (line := self._waiting.get()) is not None:
            if gone:
                continue
            try:
                self._stream.write(line + b"\n")
                self._stream.flush()
            except (OSError, ValueError) as error:  # ValueError: the stream has been closed
                gone = True
                log.warning("lines are lost: their reader is gone", extra={"error": str(error)})
