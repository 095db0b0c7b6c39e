"""One table for a terminal, and how its cells are written."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

import msgspec
from rich.table import Table
from rich.text import Text

GOOD, BAD, DOUBTFUL, PLAIN = "green", "red", "yellow", ""
STYLES = {
    "ready": GOOD,
    "applied": GOOD,
    "down": BAD,
    "refused": BAD,
    "failed": BAD,
    "joining": DOUBTFUL,
    "draining": DOUBTFUL,
    "drained": DOUBTFUL,
    "better": GOOD,
    "worse": BAD,
    "changed": DOUBTFUL,
}


def known(value: int | None) -> str:
    """Unknown is said, never drawn as 0."""
    return "?" if value is None else str(value)


def written(value: str | float | bool | None) -> str:
    """A value as JSON, a text as it is; a list comes as one text, and with nothing in it is none."""
    return value or "none" if isinstance(value, str) else msgspec.json.encode(value).decode()


def clock(at: float) -> str:
    """Unix seconds as the local time."""
    return datetime.fromtimestamp(at).astimezone().strftime("%Y-%m-%d %H:%M:%S")


def table(title: str, columns: Sequence[str], rows: Iterable[Sequence[str]]) -> Table:
    """Cells that are a state's name have its colour."""
    drawn = Table(title=title or None, title_justify="left", title_style="bold")
    for column in columns:
        drawn.add_column(column, overflow="fold")
    for row in rows:
        drawn.add_row(*(Text(cell, STYLES.get(cell, PLAIN)) for cell in row))  # Text: what others wrote is no markup
    return drawn
