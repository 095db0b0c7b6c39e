"""A change that somebody is writing: what it started from, and what of it differs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import msgspec

from stack.control.merge import merge
from stack.control.state import Desired, ModelState


@dataclass(frozen=True, slots=True)
class Draft:
    """A form's content: `edited` is a change to `basis`, which was in force at `generation`. Both hold one model, and the tiers.

    `serial` names the form's widgets: with another one they are drawn anew.
    """

    generation: int
    basis: Desired
    edited: Desired
    serial: int

    @classmethod
    def of(cls, generation: int, now: Desired, model: str, serial: int) -> Draft:
        """A form for `model`, filled with what is in force."""
        own = part(now, model)
        return cls(generation, own, own, serial)

    @property
    def model(self) -> ModelState:
        """The model as it is edited."""
        (only,) = self.edited.models.values()
        return only

    @property
    def patch(self) -> dict[str, Any]:
        """The merge patch from `basis` to `edited`: only what differs, so that nothing else is overwritten."""
        return difference(msgspec.to_builtins(self.basis), msgspec.to_builtins(self.edited))

    def onto(self, generation: int, now: Desired, serial: int) -> Draft:
        """The same edits as a change to what is in force `now`. Where that did not change, the widgets stay."""
        (model,) = self.basis.models
        own = part(now, model)
        if own == self.basis:
            return replace(self, generation=generation)
        return Draft(generation, own, patched(own, self.patch), serial)

    def with_(self, patch: dict[str, Any], serial: int) -> Draft:
        """The draft with `patch` edited into it, too. Raises msgspec.ValidationError."""
        return replace(self, edited=patched(self.edited, patch), serial=serial)


def part(whole: Desired, model: str) -> Desired:
    """What of `whole` a form for `model` changes."""
    return Desired(models={model: whole.models[model]}, tiers=whole.tiers)


def patched(document: Desired, patch: dict[str, Any]) -> Desired:
    """`document` with the merge patch `patch`. Raises msgspec.ValidationError."""
    return msgspec.convert(merge(msgspec.to_builtins(document), patch), Desired)


def difference(before: dict[str, Any], after: dict[str, Any]) -> dict[str, Any]:
    """The merge patch (RFC 7396) from `before` to `after`: what is not there any more is null."""
    patch: dict[str, Any] = {key: None for key in before if key not in after}
    for key, value in after.items():
        old = before.get(key)
        if isinstance(value, dict) and isinstance(old, dict):
            if inner := difference(old, value):
                patch[key] = inner
        elif key not in before or value != old:
            patch[key] = value
    return patch
