"""`kvdeck ctl replay`: reads recorded decisions and decides them again."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import msgspec
from rich.console import Console

from stack.api import decision_tables
from stack.control.decision import DecisionRecord
from stack.control.replay import replay


class NotDecisionsError(ValueError):
    """The file is not one that `kvdeck control --decisions-dir` wrote, as JSON lines; the message says where it differs."""


def run(file: Path, by: str, *, as_json: bool) -> None:
    """Print what comes out. Raises NotDecisionsError, OSError."""
    rows = replay(_records(file), by)
    if as_json:
        sys.stdout.write(msgspec.json.format(msgspec.json.encode(rows), indent=2).decode() + "\n")
    else:
        Console().print(decision_tables.replayed(rows, by))


def _records(file: Path) -> Iterator[DecisionRecord]:
    decoder = msgspec.json.Decoder(DecisionRecord)
    with file.open("rb") as lines:
        for number, line in enumerate(lines, 1):
            try:
                yield decoder.decode(line)
            except (msgspec.DecodeError, UnicodeDecodeError) as error:
                raise NotDecisionsError(f"{file}, line {number}: {error}") from error
