"""Versions of engines and cache servers, for comparing."""

from __future__ import annotations

import re

Version = tuple[int, ...]
_LEADING = re.compile(r"v?(\d+(?:\.\d+)*)")


def version(told: str | None) -> Version | None:
    """The numbers a version begins with, three at least: (0, 32, 0) of `0.32+cpu`; None where it has none."""
    found = _LEADING.match(told or "")
    if found is None:
        return None
    numbers = tuple(int(part) for part in found[1].split("."))
    return numbers + (0,) * (3 - len(numbers))


def text(numbers: Version) -> str:
    """`0.32.0` of (0, 32, 0)."""
    return ".".join(str(number) for number in numbers)
