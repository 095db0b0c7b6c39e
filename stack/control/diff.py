"""What differs between two desired states, field by field."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from stack.control.state import Desired


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """One field that changes; `field` is a dotted path, the values are JSON; a list is one text. A missing value is null."""

    field: str
    before: str | int | float | bool | None
    after: str | int | float | bool | None


def diff(before: Desired, after: Desired) -> tuple[Change, ...]:
    """Every field whose value differs, ordered by path."""
    old, new = dict(_leaves("", msgspec.to_builtins(before))), dict(_leaves("", msgspec.to_builtins(after)))
    fields = sorted(field for field in {*old, *new} if old.get(field) != new.get(field))
    return tuple(Change(field=field, before=old.get(field), after=new.get(field)) for field in fields)


def _leaves(path: str, value: object) -> Iterator[tuple[str, str | int | float | bool | None]]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _leaves(f"{path}.{key}" if path else key, inner)
    elif value is None or isinstance(value, (str, int, float, bool)):
        yield path, value
    elif isinstance(value, (list, tuple)):
        yield path, ", ".join(map(str, value))
