"""A change that somebody is writing: what it started from, and what of it differs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import msgspec

from stack.control.merge import merge
from stack.control.state import ModelState


@dataclass(frozen=True, slots=True)
class Draft:
    """A form's content: `edited` is a change to `basis`, which was in force at `generation`.

    `serial` names the form's widgets: with another one they are drawn anew.
    """

    generation: int
    basis: ModelState
    edited: ModelState
    serial: int

    @classmethod
    def of(cls, generation: int, now: ModelState, serial: int) -> Draft:
        """A form filled with what is in force."""
        return cls(generation, now, now, serial)

    @property
    def patch(self) -> dict[str, Any]:
        """The merge patch from `basis` to `edited`: only what differs, so that nothing else is overwritten."""
        return _differing(msgspec.to_builtins(self.basis), msgspec.to_builtins(self.edited))

    def onto(self, generation: int, now: ModelState, serial: int) -> Draft:
        """The same edits as a change to what is in force `now`. Where this model did not change, the widgets stay."""
        if now == self.basis:
            return replace(self, generation=generation)
        edited = msgspec.convert(merge(msgspec.to_builtins(now), self.patch), ModelState)
        return Draft(generation, now, edited, serial)


def _differing(before: dict[str, Any], after: dict[str, Any]) -> dict[str, Any]:
    patch: dict[str, Any] = {}
    for key, value in after.items():
        if isinstance(value, dict):
            if inner := _differing(before[key], value):
                patch[key] = inner
        elif value != before[key]:
            patch[key] = value
    return patch
