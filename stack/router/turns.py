"""Whose turn it is: requests counted apart by model, by the way they are meant to take, and by arm."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from itertools import count

from stack.control.decision import Arm
from stack.model.tier import Path


class Turns:
    """One count a model, path and arm of an experiment, each from 0.

    A count over all requests would be uneven for each pool: where every second request is disaggregated, the prefill
    pool would see even numbers only, and round-robin would give it all to every second engine.
    """

    def __init__(self) -> None:
        self._counts: defaultdict[tuple[str, Path, Arm | None], Iterator[int]] = defaultdict(count)

    def take(self, model: str, path: Path, arm: Arm | None = None) -> int:
        """The next number. `model` is a served one: a client's own words would be kept for ever."""
        return next(self._counts[model, path, arm])
