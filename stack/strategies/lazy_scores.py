"""Scores that are made when somebody looks at them, which of most choices nobody does."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

Scores = Mapping[str, Mapping[str, float]]


class LazyScores(Scores):
    """What `make` gives of `values`, once: a function of frozen values, so that it matters to nobody when it is called."""

    __slots__ = ("_made", "_making")

    def __init__(self, make: Callable[..., Scores], *values: Any) -> None:
        self._making: tuple[Callable[..., Scores], tuple[Any, ...]] | None = make, values

    def __getitem__(self, engine: str) -> Mapping[str, float]:
        return self._scores()[engine]

    def get(self, engine: str, default: Any = None) -> Any:
        """As any mapping's, without a detour through an error."""
        return self._scores().get(engine, default)

    def __iter__(self) -> Iterator[str]:
        return iter(self._scores())

    def __len__(self) -> int:
        return len(self._scores())

    def _scores(self) -> Scores:
        if self._making is not None:
            make, values = self._making
            self._made, self._making = make(*values), None
        return self._made
