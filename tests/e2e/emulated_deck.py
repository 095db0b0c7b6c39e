"""A whole stack over emulated engines, in a home of its own: any machine can bring it up."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from stack.config import Ports
from tests.e2e.deck import PATIENCE, ROOT, Deck

UP_SECONDS = 60.0 * PATIENCE


@dataclass(frozen=True, slots=True)
class EmulatedDeck(Deck):
    """A deck whose command line runs in `home`."""

    home: Path

    @property
    def environment(self) -> dict[str, str]:
        return {**os.environ, "KVDECK_HOME": str(self.home)}

    def kvdeck(self, *arguments: str, timeout_seconds: float = 600) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            self.command(*arguments),
            capture_output=True, text=True, timeout=timeout_seconds, check=False, cwd=ROOT, env=self.environment,
        )  # fmt: skip

    def command(self, *arguments: str) -> list[str]:
        return [sys.executable, "-m", "stack.cli.main", *arguments]


@contextmanager
def emulated_deck(home: Path, first_port: int, *options: str, traffic: bool = False) -> Iterator[EmulatedDeck]:
    """Up within a minute (of an idle machine), programs and tokenizer at hand; down at the end, whatever happened.

    `options` are more words for `kvdeck up`.
    """
    for part in ("alerts", "dashboard"):
        (home / part).symlink_to(ROOT / part)
    (home / ".kvdeck").mkdir()
    for part in ("debian", "models"):
        (home / ".kvdeck" / part).symlink_to(ROOT / ".kvdeck" / part)
    deck = EmulatedDeck(Ports.packed(first_port), home)
    began = time.monotonic()
    quiet = () if traffic else ("--no-traffic",)
    try:
        started = deck.kvdeck("up", "--engines", "emulated", "--detach", "--yes", *quiet, "--ports-from", str(first_port), *options)
        assert started.returncode == 0, f"{started.stdout}\n{started.stderr}"
        assert time.monotonic() - began < UP_SECONDS
        yield deck
    finally:
        ended = deck.kvdeck("down")
    assert ended.returncode == 0, ended.stderr
