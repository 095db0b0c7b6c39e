"""What a field may be set to, in words, out of its type."""

from __future__ import annotations

from typing import Any

from msgspec import inspect


def allowed(kind: Any) -> str:
    """The values of a type with its bounds, for people: "a whole number from 0 to 64", "on or off"."""
    return _words(inspect.type_info(kind))


def described(kind: Any) -> str:
    """What a type's annotation says of it; empty when it has none."""
    info = inspect.type_info(kind)
    schema = info.extra_json_schema if isinstance(info, inspect.Metadata) else None
    return str((schema or {}).get("description", ""))


def _words(kind: inspect.Type) -> str:
    match kind:
        case inspect.Metadata():
            return _words(kind.type)
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
            return ", or ".join(map(_words, kind.types))
        case inspect.VarTupleType():
            most = "" if kind.max_length is None else f"at most {kind.max_length} "
            return f"a list of {most}texts"
        case inspect.EnumType():
            return " or ".join(str(member.value) for member in kind.cls)
        case _:
            return "an object"


def _bounds(kind: inspect.IntType | inspect.FloatType) -> str:
    if kind.ge is not None and kind.le is not None:
        return f" from {_number(kind.ge)} to {_number(kind.le)}"
    bounds = ((kind.ge, "{} or more"), (kind.gt, "more than {}"), (kind.le, "{} or less"), (kind.lt, "less than {}"))
    return "".join(f", {words.format(_number(bound))}" for bound, words in bounds if bound is not None)


def _number(value: float) -> str:
    return f"{int(value):,}" if value == int(value) else f"{value:g}"
