"""A merge patch as it is sent, made ready to merge: keyed by model, every field known."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from stack.control.allowed import allowed, shown
from stack.control.parameters import check_names
from stack.control.refusal import RefusedError
from stack.control.state import Desired, ModelState
from stack.control.tiers import Tiers
from stack.strategies.base import names


def keyed(patch: object, desired: Desired) -> dict[str, object]:
    """`patch` in the form keyed by model. The unkeyed form stands for the one model that is served. Raises RefusedError."""
    if not isinstance(patch, dict):
        raise RefusedError("", "the patch must be a JSON object")
    unkeyed = set(patch) & _names(ModelState)
    unknown = sorted(set(patch) - unkeyed - _names(Desired))
    if unknown:
        allowed = f"{_listed(Desired)}, or {_listed(ModelState)} of the one model"
        raise RefusedError(unknown[0], f"unknown field {unknown[0]!r}; allowed: {allowed}")
    if not unkeyed:
        return patch
    if "models" in patch:
        raise RefusedError(min(unkeyed), f"{min(unkeyed)!r} beside 'models': name the model it is for, under 'models'")
    if len(desired.models) != 1:
        served = ", ".join(sorted(desired.models))
        raise RefusedError(min(unkeyed), f"several models are served ({served}): put the change under models.<name>")
    own = {name: value for name, value in patch.items() if name in unkeyed}
    return {"models": dict.fromkeys(desired.models, own)} | {name: patch[name] for name in patch if name not in unkeyed}


def check(patch: Mapping[str, object], desired: Desired) -> None:
    """Refuse what the shape alone forbids: unknown models and fields, and null for a model or for all of them."""
    models = patch.get("models", {})
    if not isinstance(models, dict):
        raise RefusedError("models", "'models' must be an object keyed by model")
    for name, change in models.items():
        field = f"models.{name}"
        if name not in desired.models:
            raise RefusedError(field, f"unknown model {name!r}; served: {', '.join(sorted(desired.models))}")
        if change is None:
            raise RefusedError(field, "a model cannot be removed by a patch")
        _check(change, ModelState, field)
    if patch.get("tiers") is not None:
        _check(patch["tiers"], Tiers, "tiers")


def defaulted(patch: Mapping[str, object]) -> dict[str, object]:
    """`patch` with each null of a value as the default of its place, which its type alone does not tell (a pool's replicas).

    What a null removes whole, an object or what has a name, is null still. `patch` is one that `check` lets pass.
    """
    models = patch.get("models", {})
    assert isinstance(models, dict)
    own = msgspec.to_builtins(ModelState())
    return {**patch, "models": {name: _defaulted(change, own) for name, change in models.items()}}


def _defaulted(change: object, defaults: object) -> object:
    if not isinstance(change, dict) or not isinstance(defaults, dict):
        return defaults if change is None and not isinstance(defaults, dict) else change
    return {name: _defaulted(value, defaults.get(name)) for name, value in change.items()}


def _check(change: object, struct: type[msgspec.Struct], path: str) -> None:
    if not isinstance(change, dict):
        raise RefusedError(path, f"{shown(change)} is not allowed: {allowed(struct)}")
    fields = {field.name: field.type for field in msgspec.structs.fields(struct)}
    for name, value in change.items():
        field = f"{path}.{name}"
        if name not in fields:
            raise RefusedError(field, f"unknown field {name!r}; allowed in {path}: {_listed(struct)}")
        if value is None:
            continue
        if name == "parameters":
            _check_parameters(value, field)
        if isinstance(fields[name], type) and issubclass(fields[name], msgspec.Struct):
            _check(value, fields[name], field)


def _check_parameters(value: object, field: str) -> None:
    """A parameter that no strategy has is refused where it is taken back, too: that leaves no trace in the result."""
    if not isinstance(value, dict):
        raise RefusedError(field, f"{shown(value)} is not allowed: an object keyed by strategy")
    check_names(field, value, names())


def _names(struct: type[msgspec.Struct]) -> set[str]:
    return set(struct.__struct_fields__)


def _listed(struct: type[msgspec.Struct]) -> str:
    return ", ".join(struct.__struct_fields__)
