"""A whole document that takes the place of what is desired: a generation of before, or a file that is the truth."""

from __future__ import annotations

from collections.abc import Collection

from stack.control.refusal import RefusedError
from stack.control.state import SCHEMA, Desired

_ANEW = "; which models are served is settled when control starts: start it anew to change that"


def whole(document: object, desired: Desired) -> dict[str, object]:
    """`document`, which is for exactly the models that are served. Raises RefusedError."""
    if not isinstance(document, dict):
        raise RefusedError("", "the document must be an object with models")
    allowed = ("schema", *Desired.__struct_fields__)
    unknown = sorted(set(map(str, document)) - set(allowed))
    if unknown:
        raise RefusedError(unknown[0], f"unknown field {unknown[0]!r}; allowed: {', '.join(allowed)}")
    schema = document.get("schema", SCHEMA)
    if type(schema) is not int or not 0 <= schema <= SCHEMA:
        raise RefusedError("schema", f"{schema!r} is no schema that this release knows: 0 to {SCHEMA} are allowed")
    models = document.get("models")
    if not isinstance(models, dict):
        raise RefusedError("models", "'models' must be an object keyed by model")
    if set(models) != set(desired.models):
        raise RefusedError("models", f"it is for the models {_names(models)}; served are {_names(desired.models)}{_ANEW}")
    return document


def _names(models: Collection[object]) -> str:
    return ", ".join(sorted(map(str, models))) or "(none)"
