"""`kvdeck ctl replay`: reads recorded decisions and decides them again."""

from __future__ import annotations

import sys
from pathlib import Path

import msgspec
from rich.console import Console

from stack.adapters.recorded import recorded
from stack.api import decision_tables
from stack.control.replay import replay


def run(file: Path, by: str, *, as_json: bool) -> None:
    """Print what comes out. Raises NotDecisionsError, OSError."""
    rows = replay(recorded(file), by)
    if as_json:
        sys.stdout.write(msgspec.json.format(msgspec.json.encode(rows), indent=2).decode() + "\n")
    else:
        Console().print(decision_tables.replayed(rows, by))
