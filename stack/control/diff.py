"""What differs between two desired states, field by field."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from stack.control.state import Desired, ModelState

Value = str | int | float | bool | None


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """One field that changes; `field` is a dotted path, the values are JSON; a list is one text. A missing value is null."""

    field: str
    before: Value
    after: Value

    @property
    def model(self) -> str | None:
        """The model it is about, whatever dots its name has; None for what all models share."""
        top, *parts = self.field.split(".")
        ends = (number for number, part in enumerate(parts) if number and part in ModelState.__struct_fields__)
        return ".".join(parts[: next(ends, len(parts))]) if top == "models" else None


def diff(before: Desired, after: Desired) -> tuple[Change, ...]:
    """Every field whose value differs, ordered by path."""
    old, new = leaves(before), leaves(after)
    fields = sorted(field for field in {*old, *new} if old.get(field) != new.get(field))
    return tuple(Change(field=field, before=old.get(field), after=new.get(field)) for field in fields)


def leaves(document: object) -> dict[str, Value]:
    """Every field of a desired state, or of a part of one, by its path, as a Change tells it."""
    return dict(_leaves("", msgspec.to_builtins(document)))


def _leaves(path: str, value: object) -> Iterator[tuple[str, Value]]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _leaves(f"{path}.{key}" if path else key, inner)
    elif value is None or isinstance(value, (str, int, float, bool)):
        yield path, value
    elif isinstance(value, (list, tuple)):
        yield path, ", ".join(map(str, value))
