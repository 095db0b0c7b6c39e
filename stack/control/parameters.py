"""What a pool's strategies are told beside their names: parameters by strategy, those of strategies that only stand by included."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import msgspec

from stack.control.allowed import allowed, shown
from stack.control.refusal import RefusedError
from stack.control.state import Parameters
from stack.model.tier import Pool
from stack.strategies.parameters import UnknownParameterError, Value, declared, parameter


@dataclass(frozen=True, slots=True)
class ChangeParameter:
    """What `strategy` is told in `pool`; None is its default. `acting`: it is the one that the pool chooses by."""

    kind: ClassVar[str] = "change_parameter"
    model: str
    pool: Pool
    strategy: str
    name: str
    before: Value | None
    after: Value | None
    acting: bool

    @property
    def sentence(self) -> str:
        default = declared(self.strategy)[self.name].default
        old, new = (default if value is None else value for value in (self.before, self.after))
        said = f"In the {self.pool} pool {self.name} of {self.strategy} is {new} (until now {old})."
        return said if self.acting else f"{said} The pool does not choose by {self.strategy} now."


def check_names(field: str, parameters: Mapping[str, object], known: Collection[str]) -> None:
    """Refuse what no strategy has, also where it is to be taken away. Raises RefusedError."""
    for strategy, values in parameters.items():
        if strategy not in known:
            raise RefusedError(f"{field}.{strategy}", f"unknown strategy {strategy!r}; known: {', '.join(sorted(known))}")
        for name in values if isinstance(values, dict) else ():
            try:
                parameter(strategy, name)
            except UnknownParameterError as error:
                raise RefusedError(f"{field}.{strategy}.{name}", str(error)) from error


def check_values(field: str, document: object) -> None:
    """The parameters in `document`, which is to be a model's state, each by its own type: the state's only tells JSON's.

    Raises RefusedError.
    """
    for pool in Pool:
        found = _inner(_inner(_inner(document, "pools"), pool), "parameters")
        for strategy, values in found.items():
            known = declared(strategy)
            for name in sorted(known.keys() & _inner(found, strategy)):
                _value(f"{field}.pools.{pool}.parameters.{strategy}.{name}", strategy, name, values[name])


def _inner(document: object, name: str) -> dict[str, Any]:
    inner = document.get(name) if isinstance(document, dict) else None
    return inner if isinstance(inner, dict) else {}


def settled(field: str, parameters: Parameters, known: Collection[str]) -> Parameters:
    """`parameters`, typed and within bounds; nothing is kept of a strategy that is told nothing.

    Raises RefusedError.
    """
    check_names(field, parameters, known)
    return {strategy: _values(f"{field}.{strategy}", strategy, values) for strategy, values in parameters.items() if values}


def changed(model: str, pool: Pool, before: Parameters, after: Parameters, acting: Collection[str]) -> Iterator[ChangeParameter]:
    """One effect each parameter."""
    for strategy in sorted({*before, *after}):
        old, new = before.get(strategy, {}), after.get(strategy, {})
        for name in sorted({*old, *new}):
            if old.get(name) != new.get(name):
                yield ChangeParameter(model, pool, strategy, name, old.get(name), new.get(name), strategy in acting)


def _values(field: str, strategy: str, values: Mapping[str, Value]) -> dict[str, Value]:
    return {name: _value(f"{field}.{name}", strategy, name, value) for name, value in values.items()}


def _value(field: str, strategy: str, name: str, value: object) -> Value:
    kind = parameter(strategy, name).kind
    try:
        made: Value = msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        raise RefusedError(field, f"{shown(value)} is not allowed: {allowed(kind)}") from error
    return made
