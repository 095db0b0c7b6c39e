"""Every strategy of every pool: all of them read what the router knows, so that a switch starts with knowledge."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from stack.control.state import Parameters
from stack.model.tier import Pool
from stack.registry import UnknownNameError
from stack.strategies.base import Strategy
from stack.strategies.disaggregation import Named
from stack.strategies.parameters import checked


@dataclass(frozen=True, slots=True)
class _Made:
    parameters: Parameters
    strategies: Mapping[str, Named]


class StrategyShelf:
    """One instance of each strategy a pool of a model, made anew when what it is told changes: it keeps nothing."""

    def __init__(self, names: Iterable[str], create: Callable[..., Strategy]) -> None:
        self._names = tuple(names)
        self._create = create
        self._made: dict[tuple[str, Pool], _Made] = {}

    def of(self, model: str, pool: Pool, parameters: Parameters) -> Mapping[str, Named]:
        """Every strategy there is for `pool`, in the order of their names.

        Raises ValueError and UnknownNameError for what a strategy cannot be told.
        """
        made = self._made.get((model, pool))
        if made is None or made.parameters != parameters:
            told = {name: checked(name, parameters[name]) for name in self._names if name in parameters}
            strategies = {name: Named(name, self._create(name, **told.get(name, {}))) for name in self._names}
            made = self._made[model, pool] = _Made(parameters, strategies)
        return made.strategies

    def named(self, model: str, pool: Pool, name: str, parameters: Parameters) -> Named:
        """One of them. Raises as `of` does."""
        try:
            return self.of(model, pool, parameters)[name]
        except KeyError:
            raise UnknownNameError(f"unknown strategy {name!r}; known: {', '.join(self._names)}") from None
