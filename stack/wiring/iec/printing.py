"""How `kvdeck iec` prints: documents on standard output, everything about them on standard error."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from enum import IntEnum
from typing import Any

import msgspec
from rich.console import Console

from stack.kube.hyperpod.notes import Note


class Exit(IntEnum):
    """What scripts may rely on."""

    DONE = 0
    DIFFERS = 1
    USAGE = 2
    UNKNOWN = 3
    REFUSED = 4
    UNREADABLE = 6


def print_notes(notes: Iterable[Note]) -> None:
    """One line each, on standard error."""
    for note in notes:
        sys.stderr.write(f"{note.kind:<9} {note.field}: {note.text}\n")


def print_json(document: Any) -> None:
    """For programs."""
    sys.stdout.write(msgspec.json.format(msgspec.json.encode(document), indent=2).decode() + "\n")


def fail(message: str, code: Exit) -> Exit:
    """Say why not."""
    Console(stderr=True, soft_wrap=True).print(message, style="red", markup=False, highlight=False)
    return code
