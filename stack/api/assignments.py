"""`KEY=VALUE` words of a command line, as a merge patch."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import msgspec

from stack.control.state import Desired


class AssignmentError(ValueError):
    """A word that is no assignment, or that contradicts another; the message quotes it."""


def patch(words: Sequence[str], models: Collection[str], model: str | None = None) -> dict[str, object]:
    """`pools.decode.replicas=3 dpd.enabled=false` -> nested objects. Raises AssignmentError.

    Values are JSON where they can be read as such (`3`, `true`, `null`), else text. A key may begin with
    `models.<name>.`, for one of `models` (names may hold dots); `model` puts all other keys under it, but those of no model.
    """
    result: dict[str, object] = {}
    for word in words:
        key, equals, value = word.partition("=")
        if not equals or not all(key.split(".")):
            raise AssignmentError(f"{word!r} is no assignment: expected for example pools.decode.replicas=3")
        _put(result, _path(key, models, model), _value(value), word)
    return result


def _path(key: str, models: Collection[str], model: str | None) -> list[str]:
    for name in sorted(models, key=len, reverse=True):
        if key.startswith(f"models.{name}."):
            return ["models", name, *key.removeprefix(f"models.{name}.").split(".")]
    parts = key.split(".")
    return parts if model is None or parts[0] in Desired.__struct_fields__ else ["models", model, *parts]


def _value(text: str) -> object:
    try:
        return msgspec.json.decode(text)
    except msgspec.DecodeError:
        return text


def _put(target: dict[str, object], path: Sequence[str], value: object, word: str) -> None:
    for part in path[:-1]:
        inner = target.setdefault(part, {})
        if not isinstance(inner, dict):
            raise AssignmentError(f"{word!r} contradicts an assignment before it")
        target = inner
    if path[-1] in target:
        raise AssignmentError(f"{word!r} contradicts an assignment before it")
    target[path[-1]] = value
