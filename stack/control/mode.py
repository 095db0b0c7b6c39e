"""Who may change what is desired, and whether control does anything about it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import msgspec

FILE_FIELD = "desired_file"  # of drift and audit: the file that is followed, where it is not in force


class Mode(StrEnum):
    """How much control does."""

    OBSERVE = "observe"  # it looks and tells; nobody changes anything, and no engine is touched
    DECLARATIVE = "declarative"  # a file is the truth, the API is read-only
    LIVE = "live"  # the API changes what is desired


class ControlSection(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`control:` of a configuration file. What a command line says goes before it."""

    mode: Mode | None = None


@dataclass(frozen=True, slots=True)
class Stance:
    """Control's mode, where that is declarative the file that says what is desired, and whether a change must say why."""

    mode: Mode = Mode.LIVE
    file: str | None = None
    comment_required: bool = False

    @property
    def acts(self) -> bool:
        """Whether control drains, starts and ends engines, and whatever else a difference calls for."""
        return self.mode is not Mode.OBSERVE

    @property
    def refusal(self) -> str | None:
        """Why a change is not taken from anybody but the file, and what to do instead; None where it is."""
        match self.mode:
            case Mode.OBSERVE:
                return "control only observes: run it with --mode live to change what is desired, or with --mode declarative"
            case Mode.DECLARATIVE:
                return f"what is desired is in a file: edit {self.file}, or run control with --mode live"
            case Mode.LIVE:
                return None


LIVE = Stance()
