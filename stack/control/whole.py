"""A whole document that takes the place of what is desired: a generation of before, or a file that is the truth."""

from __future__ import annotations

from collections.abc import Collection

from stack.control.refusal import RefusedError
from stack.control.state import Desired


def whole(document: object, desired: Desired) -> dict[str, object]:
    """The states by model of `document`, which is for exactly the models that are served. Raises RefusedError."""
    if not isinstance(document, dict):
        raise RefusedError("", "the document must be an object with models")
    unknown = sorted(set(map(str, document)) - set(Desired.__struct_fields__))
    if unknown:
        raise RefusedError(unknown[0], f"unknown field {unknown[0]!r}; allowed: {', '.join(Desired.__struct_fields__)}")
    models = document.get("models")
    if not isinstance(models, dict):
        raise RefusedError("models", "'models' must be an object keyed by model")
    if set(models) != set(desired.models):
        raise RefusedError("models", f"it is for the models {_names(models)}; served are {_names(desired.models)}")
    return models


def _names(models: Collection[object]) -> str:
    return ", ".join(sorted(map(str, models))) or "(none)"
