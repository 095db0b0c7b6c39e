"""Reads decisions back that `kvdeck control --decisions-dir` wrote as JSON lines."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec

from stack.control.decision import DecisionRecord


class NotDecisionsError(ValueError):
    """The file is not one that `kvdeck control --decisions-dir` wrote, as JSON lines; the message says where it differs."""


def recorded(file: Path) -> Iterator[DecisionRecord]:
    """Every decision in `file`, oldest first. Raises NotDecisionsError, OSError."""
    decoder = msgspec.json.Decoder(DecisionRecord)
    with file.open("rb") as lines:
        for number, line in enumerate(lines, 1):
            try:
                yield decoder.decode(line)
            except (msgspec.DecodeError, UnicodeDecodeError) as error:
                raise NotDecisionsError(f"{file}, line {number}: {error}") from error
