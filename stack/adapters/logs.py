"""One way to write logs for every process: an event, then its fields."""

from __future__ import annotations

import logging
import sys
import time

_PLAIN = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName", "color_message"}


class EventFormatter(logging.Formatter):
    """`2026-01-31T12:00:00.123Z INFO stack.api.changes state changed generation=8 actor='ops'`."""

    converter = staticmethod(time.gmtime)
    default_time_format = "%Y-%m-%dT%H:%M:%S"
    default_msec_format = "%s.%03dZ"

    def __init__(self) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s %(message)s")

    def formatMessage(self, record: logging.LogRecord) -> str:  # logging's own name
        fields = {name: value for name, value in vars(record).items() if name not in _PLAIN and value is not None}
        return " ".join([super().formatMessage(record), *(f"{name}={value!r}" for name, value in fields.items())])


def configure(level: int = logging.INFO) -> None:
    """Send everything to standard error; third parties only when they warn."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(EventFormatter())
    logging.basicConfig(level=level, handlers=[handler], force=True)
    for noisy in ("httpx", "httpcore", "uvicorn.access"):
        logging.getLogger(noisy).setLevel(logging.WARNING)
