"""A counter derived from two others that are not read at one moment."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True)
class Ratchet:
    """Holds a derived count up until its source restarts."""

    _highest: float = 0.0
    _epoch: float = 0.0

    def at_least(self, value: float, epoch: float) -> float:
        """`value`, or the highest so far. `epoch` is a counter of the source: its fall means a restart."""
        self._highest = value if epoch < self._epoch else max(self._highest, value)
        self._epoch = epoch
        return self._highest
