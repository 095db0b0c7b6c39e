"""Everything that a change may set: its path, what it may be, and what it is while nobody says."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import msgspec
from msgspec import inspect

from stack.control.allowed import allowed, words
from stack.control.state import ModelState
from stack.control.tiers import Tiers
from stack.strategies.base import names
from stack.strategies.parameters import declared


@dataclass(frozen=True, slots=True)
class Settable:
    """One field. `path` is that of a model, but for the tiers, which all share; NAME is any name. `default` is JSON."""

    path: str
    allowed: str
    default: str


def settable() -> tuple[Settable, ...]:
    """Every field there is, in the order of the document; strategies' parameters by strategy."""
    return (*_fields("", ModelState()), *_fields("tiers", Tiers()))


def _fields(path: str, defaults: msgspec.Struct) -> Iterator[Settable]:
    kind = inspect.type_info(type(defaults))
    assert isinstance(kind, inspect.StructType)
    for field in kind.fields:
        own, default = f"{path}.{field.name}" if path else field.name, getattr(defaults, field.name)
        if isinstance(default, msgspec.Struct):
            yield from _fields(own, default)
        elif field.name == "parameters":
            yield from _parameters(own)
        elif isinstance(field.type, inspect.DictType):
            yield Settable(f"{own}.NAME", words(field.type.value_type), "null")
        else:
            yield Settable(own, words(field.type), _json(default))


def _parameters(path: str) -> Iterator[Settable]:
    for strategy in names():
        for each in declared(strategy).values():
            yield Settable(f"{path}.{strategy}.{each.name}", allowed(each.kind), _json(each.default))


def _json(value: Any) -> str:
    return msgspec.json.encode(value).decode()
