"""What a field may be set to, in words, out of its type."""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import inspect

SHOWN_MAX = 60
TEXT = "text"  # of a text's annotation: what it is a text of


def allowed(kind: Any) -> str:
    """The values of a type with its bounds, for people: "a whole number from 0 to 64", "true or false"."""
    return words(inspect.type_info(kind))


def described(kind: Any) -> str:
    """What a type's annotation says of it; empty when it has none."""
    info = inspect.type_info(kind)
    schema = info.extra_json_schema if isinstance(info, inspect.Metadata) else None
    return str((schema or {}).get("description", ""))


def shown(value: object) -> str:
    """A value as somebody sent it, at no length."""
    text = msgspec.json.encode(value).decode(errors="replace")
    return text if len(text) <= SHOWN_MAX else f"{text[: SHOWN_MAX - 1]}…"


def words(kind: inspect.Type) -> str:
    """As `allowed`, of a type that is looked at already."""
    match kind:
        case inspect.Metadata():
            return str((kind.extra or {}).get(TEXT, "")) or words(kind.type)
        case inspect.BoolType():
            return "true or false"
        case inspect.IntType():
            return f"a whole number{_bounds(kind)}"
        case inspect.FloatType():
            return f"a number{_bounds(kind)}"
        case inspect.StrType():
            return "a text"
        case inspect.NoneType():
            return "null"
        case inspect.UnionType():
            return ", or ".join(map(words, kind.types))
        case inspect.VarTupleType():
            most = "a list" if kind.max_length is None else f"a list of at most {kind.max_length}"
            return f"{most}, each {words(kind.item_type)}"
        case inspect.EnumType():
            return ", ".join(str(member.value) for member in kind.cls)
        case inspect.DictType():
            return f"an object keyed by names, each {words(kind.value_type)}"
        case inspect.StructType():
            return f"an object with {', '.join(field.encode_name for field in kind.fields)}"
        case _:
            return "an object"


def _bounds(kind: inspect.IntType | inspect.FloatType) -> str:
    if kind.ge is not None and kind.le is not None:
        return f" from {_number(kind.ge)} to {_number(kind.le)}"
    bounds = ((kind.ge, "{} or more"), (kind.gt, "more than {}"), (kind.le, "{} or less"), (kind.lt, "less than {}"))
    return "".join(f", {text.format(_number(bound))}" for bound, text in bounds if bound is not None)


def _number(value: float) -> str:
    return f"{int(value):,}" if value == int(value) else f"{value:g}"
