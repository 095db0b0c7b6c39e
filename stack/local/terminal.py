"""Where commands print."""

from __future__ import annotations

import sys

from rich.console import Console

PIPED_WIDTH = 160  # characters a line where there is no terminal to ask


def terminal() -> Console:
    """Standard output, as wide as the terminal, or wide enough for one line a component."""
    return Console(width=None if sys.stdout.isatty() else PIPED_WIDTH)
