"""What is said of a field beside what becomes of it. Nothing is dropped without one."""

from __future__ import annotations

from enum import StrEnum

import msgspec


class NoteKind(StrEnum):
    """What a note is about, in the order they are shown."""

    UNKNOWN = "unknown"  # the CRD has no such field, so that an API server drops it
    IGNORED = "ignored"  # HyperPod does not heed it
    IMMUTABLE = "immutable"  # a deployment that runs does not take it: it wants a new one
    ASSUMED = "assumed"  # nothing says it and something must be there: to be filled in
    ADJUSTED = "adjusted"  # the other side takes less than what was said
    DIFFERS = "differs"  # it is taken over, and means something else
    DEFAULTED = "defaulted"  # nothing was said: HyperPod's default
    KEPT = "kept"  # it has no counterpart and stays HyperPod's


class Note(msgspec.Struct, frozen=True, kw_only=True):
    """One sentence about `field`, a dotted path of the document it was read from."""

    kind: NoteKind
    field: str
    text: str


def ordered(notes: list[Note]) -> tuple[Note, ...]:
    """By kind, then by field."""
    kinds = list(NoteKind)
    return tuple(sorted(notes, key=lambda note: (kinds.index(note.kind), note.field)))
