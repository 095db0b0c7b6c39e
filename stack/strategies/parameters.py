"""What each strategy can be told, as its own file declares it: by the annotated parameters of what makes it."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, get_type_hints

import msgspec

from stack.registry import UnknownNameError
from stack.strategies import base

Value = bool | int | float | str


class UnknownParameterError(UnknownNameError):
    """A strategy that is told what it does not know; the message lists what it does."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """One of them. `kind` is its type with bounds and a description, as msgspec takes them."""

    name: str
    kind: Any
    default: Value


@cache
def declared(strategy: str) -> Mapping[str, Parameter]:
    """What `strategy` can be told, by name; nothing for one that is not registered."""
    if strategy not in base.names():
        return {}
    factory = base.REGISTRY.factory(strategy)
    maker = vars(factory).get("__init__") if isinstance(factory, type) else factory
    if maker is None:  # it takes nothing
        return {}
    hints = get_type_hints(maker, include_extras=True)
    taken = inspect.signature(factory).parameters.values()
    return {each.name: Parameter(each.name, hints[each.name], each.default) for each in taken}


def parameter(strategy: str, name: str) -> Parameter:
    """Raises UnknownParameterError."""
    known = declared(strategy)
    if name not in known:
        allowed = ", ".join(known) or "none: it takes no parameters"
        raise UnknownParameterError(f"unknown parameter {name!r} of {strategy}; allowed: {allowed}")
    return known[name]


def checked(strategy: str, values: Mapping[str, object]) -> dict[str, Value]:
    """`values`, each of its parameter's type and within its bounds. Raises UnknownParameterError, ValueError."""
    try:
        return {name: msgspec.convert(value, parameter(strategy, name).kind) for name, value in values.items()}
    except msgspec.ValidationError as error:
        raise ValueError(f"parameters of {strategy}: {error}") from error
