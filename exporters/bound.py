"""A label whose values others choose, kept to so many."""

from __future__ import annotations

OTHER = "other"
MOST = 1000


class Bound:
    """Lets the first `most` values pass, for good, so that no series changes its meaning; later ones are `other`."""

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._passed: set[str] = set()

    def __call__(self, value: str) -> str:
        """`value`, or `other` where there have been enough."""
        if value in self._passed:
            return value
        if len(self._passed) >= self._most:
            return OTHER
        self._passed.add(value)
        return value
