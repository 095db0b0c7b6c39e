"""Desired, applied and observed as tables for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import RenderableType

from stack.api.schema import StateView
from stack.api.table import clock, table, written
from stack.control.fields import FieldState, Held

UNKNOWN = "unknown"
_COLUMNS = ("field", "desired", "applied", "observed", "since", "why")


def differing(view: StateView) -> Iterator[RenderableType]:
    """The fields that are not as desired; nothing where there are none."""
    yield from _table(view, [field for field in view.fields if field.reason is not None])


def telling(view: StateView) -> Iterator[RenderableType]:
    """Those, and the ones of which something is seen."""
    yield from _table(view, [field for field in view.fields if field.reason is not None or field.observed is not None])


def every(view: StateView) -> Iterator[RenderableType]:
    """All there are."""
    yield from _table(view, view.fields)


def applied(field: FieldState) -> str:
    """Who goes by what, for people: the value alone where all go by one."""
    if not field.applied:
        return UNKNOWN
    if len(field.applied) == 1:
        return _held(field.applied[0])
    return ", ".join(f"{_held(each)} ({', '.join(each.by)})" for each in field.applied)


def _held(held: Held) -> str:
    return written(held.value) if held.known else UNKNOWN


def _table(view: StateView, fields: Sequence[FieldState]) -> Iterator[RenderableType]:
    """By the names that `kvdeck ctl set` takes: those of the only model there is go without its name."""
    models = list(view.desired.models)
    prefix = f"models.{models[0]}." if len(models) == 1 else ""
    if fields:
        yield table("fields", _COLUMNS, [_row(field, prefix) for field in fields])


def _row(field: FieldState, prefix: str) -> Sequence[str]:
    since = "" if field.since is None else clock(field.since)
    return field.field.removeprefix(prefix), written(field.desired), applied(field), field.observed or "", since, field.reason or ""
