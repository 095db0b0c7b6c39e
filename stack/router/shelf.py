"""Every strategy of every model, kept warm: all of them learn from every request, so that a switch starts with knowledge."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from stack.model.outcome import Outcome
from stack.model.plan import Choice
from stack.model.request import RouteRequest
from stack.registry import UnknownNameError
from stack.strategies.base import Strategy
from stack.strategies.disaggregation import Named


class StrategyShelf:
    """One instance of each strategy a model. It serves both pools: what is learnt is kept by engine, and engines have one pool."""

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

    def learn(self, request: RouteRequest, choice: Choice, outcome: Outcome) -> None:
        """Tell every strategy of the model that `request` ran on `choice.engine`, and what came of it."""
        for named in self._of(request.model).values():
            named.strategy.learn(request, choice, outcome)

    def forget(self, engine: str) -> None:
        """Tell every strategy that what `engine` held is gone."""
        for strategies in self._models.values():
            for named in strategies.values():
                named.strategy.forget(engine)

    def _of(self, model: str) -> Mapping[str, Named]:
        if model not in self._models:
            self._models[model] = {name: Named(name, self._create(name)) for name in self._names}
        return self._models[model]
