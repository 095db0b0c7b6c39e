"""Everything that a change may set: its path, what it may be, and what it is while nobody says."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import msgspec
from msgspec import inspect

from stack.control.allowed import described, words
from stack.control.state import ModelState
from stack.control.tiers import Tiers
from stack.strategies.base import names
from stack.strategies.parameters import declared


@dataclass(frozen=True, slots=True)
class Settable:
    """One field. `path` is that of a model, but for the tiers, which all share; NAME is any name.

    `kind` is its type, with bounds, and `value` what it is while nobody says; `meaning` is empty where its name says it all.
    """

    path: str
    kind: inspect.Type
    value: object
    meaning: str = ""

    @property
    def allowed(self) -> str:
        """What it may be, in words."""
        return words(self.kind)

    @property
    def default(self) -> str:
        """What it is while nobody says, as JSON."""
        return msgspec.json.encode(self.value).decode()


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
            yield Settable(f"{own}.NAME", field.type.value_type, None)
        else:
            yield Settable(own, field.type, default)


def _parameters(path: str) -> Iterator[Settable]:
    for strategy in names():
        for each in declared(strategy).values():
            kind = inspect.type_info(each.kind)
            yield Settable(f"{path}.{strategy}.{each.name}", kind, each.default, described(each.kind))
