"""What the exporter's page says, as far as it is measured by it."""

from __future__ import annotations

import re

from stack.metrics import catalog
from stack.metrics.family import Label

_READ = re.compile(rf"^{catalog.SCRAPE_COLLECTOR_SUCCESS.name}{{.*}} 1\.0$".encode(), re.MULTILINE)
_SERIES = re.compile(rb"^[a-z]", re.MULTILINE)
_MODEL = re.compile(rf'{Label.MODEL_NAME}="([^"]*)"'.encode())


def series(page: bytes) -> int:
    """How many series it shows."""
    return len(_SERIES.findall(page))


def fault(page: bytes, targets: int) -> str | None:
    """Why nothing was measured by this page: not all of its targets were read. None when they were."""
    read = len(_READ.findall(page))
    return None if read == targets else f"the exporter read {read} of {targets} targets"


def models(page: bytes) -> int:
    """How many values the models' label has."""
    return len(set(_MODEL.findall(page)))
