"""Widgets by a field's type: its bounds are the widget's."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import streamlit as st
from msgspec import inspect

from dashboard.steering.kept import kept

_LARGEST = (1 << 53) - 1  # what a browser's numbers hold exactly


def edit(label: str, kind: inspect.Type, value: Any, *, key: str, text: str, empty: str = "", locked: bool = False) -> Any:
    """Draw the widget for a field of `kind` that holds `value`, and read it. `empty` says what an empty field comes to.

    One that is `locked` shows the value, and takes no other.
    """
    inner, optional = _inner(kind)
    match inner:
        case inspect.BoolType():
            return st.toggle(label, key=kept(key, value), help=text, disabled=locked)
        case inspect.IntType():
            least, most = int(inner.ge or 0), int(inner.le or _LARGEST)
            return st.number_input(
                label, least, min(most, _LARGEST), step=1, key=kept(key, value), help=text, placeholder=empty, disabled=locked
            )
        case inspect.FloatType():
            return _number(label, inner, value, key, text, empty, locked)
        case inspect.EnumType():
            names = [member.value for member in inner.cls]
            return st.selectbox(label, names, index=None, key=kept(key, value), help=text, placeholder=empty, disabled=locked)
        case inspect.VarTupleType():
            return _list(label, value, key, text, locked)
        case _:
            return st.text_input(label, key=kept(key, value or ""), help=text, placeholder=empty, disabled=locked) or (
                None if optional else ""
            )


def _inner(kind: inspect.Type) -> tuple[inspect.Type, bool]:
    """The type without what is written on it and without null, and whether it may be null."""
    if isinstance(kind, inspect.Metadata):
        return _inner(kind.type)
    if isinstance(kind, inspect.UnionType):
        others = [_inner(one)[0] for one in kind.types if not isinstance(one, inspect.NoneType)]
        return others[0], len(others) < len(kind.types)
    return kind, False


def _number(
    label: str, kind: inspect.FloatType, value: float | None, key: str, text: str, empty: str, locked: bool
) -> float | None:
    least = float(kind.ge if kind.ge is not None else kind.gt or 0.0)
    most = None if kind.le is None else float(kind.le)
    filled = None if value is None else float(value)
    return st.number_input(
        label, least, most, step=None, format="%g", key=kept(key, filled), help=text, placeholder=empty, disabled=locked
    )


def _list(label: str, value: Sequence[str], key: str, text: str, locked: bool) -> list[str]:
    return st.multiselect(label, list(value), key=kept(key, list(value)), help=text, accept_new_options=True, disabled=locked)
