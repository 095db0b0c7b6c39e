"""What is wrong with a document that does not fit its type: the field, the value that it has, and what it may have."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import msgspec
from msgspec import inspect

from stack.control.allowed import shown, words
from stack.control.refusal import RefusedError

_AT = re.compile(r"^(?P<message>.*?)(?: - at `\$\.?(?P<path>.*)`)?$", re.DOTALL)
_STEP = re.compile(r"(?P<name>[^.\[\]]+)|\[(?P<place>\d+)\]|\[\.\.\.\]")  # the last is some name of an object keyed by names
_UNKNOWN = re.compile(r"Object contains unknown field `(.*)`", re.DOTALL)
_MISSING = re.compile(r"Object missing required field `(.*)`", re.DOTALL)

Step = str | int


def refusal_of(error: msgspec.ValidationError, document: object, kind: Any, *path: str) -> RefusedError:
    """Why `document`, at `path` of what was sent, is no `kind`."""
    found = _AT.match(str(error))
    own, message = (found["path"] or "", found["message"]) if found else ("", str(error))
    info, value, steps = inspect.type_info(kind), document, list[Step]()
    for step in _STEP.finditer(own):
        steps.append(step["name"] or (int(step["place"]) if step["place"] else _culprit(document, kind, steps)))
        info, value = _inner(info, steps[-1]), _at(value, steps[-1])
    field = _dotted([*path, *steps])
    if unknown := _UNKNOWN.fullmatch(message):
        there = f" in {field}" if field else ""
        allowed = words(info).partition(" with ")[2]
        return RefusedError(_dotted([*path, *steps, unknown[1]]), f"unknown field {unknown[1]!r}; allowed{there}: {allowed}")
    if missing := _MISSING.fullmatch(message):
        return RefusedError(_dotted([*path, *steps, missing[1]]), f"it is needed: {words(_inner(info, missing[1]))}")
    return RefusedError(field, f"{shown(value)} is not allowed: {words(info)}")


def _dotted(steps: Sequence[Step]) -> str:
    return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in steps).removeprefix(".")


def _inner(kind: inspect.Type, step: Step) -> inspect.Type:
    """The type of a field, or of an item."""
    match kind:
        case inspect.Metadata():
            return _inner(kind.type, step)
        case inspect.UnionType():
            return _inner(next(each for each in kind.types if not isinstance(each, inspect.NoneType)), step)
        case inspect.VarTupleType():
            return kind.item_type
        case inspect.DictType():
            return kind.value_type
        case inspect.StructType():
            return next(field.type for field in kind.fields if field.encode_name == step)
        case _:
            return inspect.AnyType()


def _at(value: object, step: Step) -> object:
    if isinstance(value, dict):
        return value.get(step)
    return value[step] if isinstance(value, list | tuple) and isinstance(step, int) else None


def _culprit(document: object, kind: Any, steps: Sequence[Step]) -> str:
    """The name in the object at `steps` whose value does not fit: alone there, it still does not."""
    names = document
    for step in steps:
        names = _at(names, step)
    assert isinstance(names, dict)  # that is what the error is about
    return next(str(name) for name in names if not _fits(_with_only(document, steps, name), kind))


def _with_only(document: object, steps: Sequence[Step], name: str) -> object:
    assert isinstance(document, dict)  # objects keyed by names are in no lists
    if not steps:
        return {name: document[name]}
    return document | {steps[0]: _with_only(document[steps[0]], steps[1:], name)}


def _fits(document: object, kind: Any) -> bool:
    try:
        msgspec.convert(document, kind)
    except msgspec.ValidationError:
        return False
    return True
