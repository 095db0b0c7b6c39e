"""Widgets by a field's type: its bounds are the widget's.

Each is told what it is filled with wherever it is drawn. A value that only the session held would come to the browser once,
and not at all where that drawing is broken off: the browser would start at the least that is allowed, and send it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import streamlit as st
from msgspec import inspect

_LARGEST = (1 << 53) - 1  # what a browser's numbers hold exactly


def edit(
    label: str, kind: inspect.Type, value: Any, *, key: str, text: str, empty: str = "", clears: bool = False, locked: bool = False
) -> Any:
    """Draw the widget for a field of `kind` that holds `value`, and read it: None where it is empty, which only some may be.

    `empty` says what an empty field comes to. One that `clears` may be empty although `kind` has no null: what it is without
    then holds. A number that may be empty is typed, and is the text itself where it is no number, for others to refuse. One
    that is `locked` shows the value, and takes no other.
    """
    inner, optional = _inner(kind)
    match inner:
        case inspect.BoolType():
            return st.toggle(label, value, key=key, help=text, disabled=locked)
        case inspect.IntType() | inspect.FloatType() if optional or clears:
            written = "" if value is None else _written(value)
            typed = st.text_input(label, written, key=key, help=text, placeholder=empty, disabled=locked, autocomplete="off")
            return _read(typed.strip(), int if isinstance(inner, inspect.IntType) else float)
        case inspect.IntType():
            least, most = int(inner.ge or 0), min(int(inner.le or _LARGEST), _LARGEST)
            return st.number_input(label, least, most, value, 1, key=key, help=text, disabled=locked)
        case inspect.FloatType():
            lowest = float((inner.gt if inner.ge is None else inner.ge) or 0.0)
            highest = None if inner.le is None else float(inner.le)
            return st.number_input(label, lowest, highest, float(value), None, "%g", key=key, help=text, disabled=locked)
        case inspect.EnumType():
            return _choice(label, [member.value for member in inner.cls], value, key, text, empty, optional, locked)
        case inspect.VarTupleType():
            return _list(label, value, key, text, locked)
        case _:
            typed = st.text_input(label, value or "", key=key, help=text, placeholder=empty, disabled=locked)
            return typed or (None if optional else "")


def _inner(kind: inspect.Type) -> tuple[inspect.Type, bool]:
    """The type without what is written on it and without null, and whether it may be null."""
    if isinstance(kind, inspect.Metadata):
        return _inner(kind.type)
    if isinstance(kind, inspect.UnionType):
        others = [_inner(one)[0] for one in kind.types if not isinstance(one, inspect.NoneType)]
        return others[0], len(others) < len(kind.types)
    return kind, False


def _written(value: object) -> str:
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _read(typed: str, number: type[int] | type[float]) -> float | str | None:
    if not typed:
        return None
    try:
        found = number(typed)
    except ValueError:
        return typed
    return found if math.isfinite(found) else typed


def _choice(
    label: str, names: Sequence[str], value: str | None, key: str, text: str, empty: str, optional: bool, locked: bool
) -> str | None:
    every = [empty, *names] if optional else names
    chosen = st.selectbox(label, every, every.index(value or empty), key=key, help=text, disabled=locked)
    return None if optional and chosen == empty else chosen


def _list(label: str, value: Sequence[str], key: str, text: str, locked: bool) -> list[str]:
    return st.multiselect(label, list(value), list(value), key=key, help=text, accept_new_options=True, disabled=locked)
