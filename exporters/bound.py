"""A label whose values others choose, kept to so many."""

from __future__ import annotations

OTHER = "other"
MOST = 1000
LONGEST = 256


class Bound:
    """Lets the first `most` values pass; later ones are `other`.

    No series changes its meaning while its owner (a target) is there: a target that has an `other` gets no further value of its
    own, although those of forgotten targets make room for the rest.
    """

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._owners: dict[str, set[str]] = {}  # by value that passed
        self._refused: set[str] = set()

    def __call__(self, owner: str, value: str) -> str:
        """`value` of `owner`, or `other` where there have been enough."""
        if not nameable(value):
            return OTHER
        owners = self._owners.get(value, set())
        if owner in owners:
            return value
        if owner in self._refused or (not owners and len(self._owners) >= self._most):
            self._refused.add(owner)
            return OTHER
        self._owners.setdefault(value, owners).add(owner)
        return value

    def forget(self, owner: str) -> None:
        """The target is gone: what only it had makes room."""
        self._refused.discard(owner)
        for owners in self._owners.values():
            owners.discard(owner)
        self._owners = {value: owners for value, owners in self._owners.items() if owners}


def nameable(value: str) -> bool:
    """Fit for a label: a line of printable text that is not too long to be on every series."""
    return len(value) <= LONGEST and value.isprintable()
