"""Every strategy of every model: all of them read what the router knows, so that a switch starts with knowledge."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from stack.registry import UnknownNameError
from stack.strategies.base import Strategy
from stack.strategies.disaggregation import Named


class StrategyShelf:
    """One instance of each strategy a model, for both pools."""

    def __init__(self, names: Iterable[str], create: Callable[[str], Strategy]) -> None:
        self._names = tuple(names)
        self._create = create
        self._models: dict[str, Mapping[str, Named]] = {}

    def named(self, model: str, name: str) -> Named:
        """The instance of strategy `name` for `model`. Raises UnknownNameError."""
        try:
            return self._of(model)[name]
        except KeyError:
            raise UnknownNameError(f"unknown strategy {name!r}; known: {', '.join(self._names)}") from None

    def all(self, model: str) -> tuple[Named, ...]:
        """Every strategy there is for `model`, in the order of their names."""
        return tuple(self._of(model).values())

    def _of(self, model: str) -> Mapping[str, Named]:
        if model not in self._models:
            self._models[model] = {name: Named(name, self._create(name)) for name in self._names}
        return self._models[model]
