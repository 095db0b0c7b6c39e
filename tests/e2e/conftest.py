"""One real stack for every end-to-end test; ends it, and looks for leftovers, at the end."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from stack.config import Layout, Ports
from tests.e2e.deck import PATIENCE, ROOT, Deck, wait_for

FIRST_PORT = 21400
UP_SECONDS = 480 * PATIENCE


@pytest.fixture(scope="session")
def deck() -> Iterator[Deck]:
    """`kvdeck up --detach --no-traffic` on ports of its own; skips where the machine cannot run engines."""
    deck = Deck(Ports.packed(FIRST_PORT))
    if any(component["state"] == "ready" for component in deck.components().values()):
        pytest.fail("a stack is already running in this checkout: `./kvdeck down` first")
    segments = _segments()
    started = deck.kvdeck("up", "--detach", "--yes", "--no-traffic", "--ports-from", str(FIRST_PORT), timeout_seconds=UP_SECONDS)
    assert started.returncode == 0, f"{started.stdout}\n{started.stderr}"
    yield deck
    processes = [component["pid"] for component in deck.components().values() if component["pid"]]
    ended = deck.kvdeck("down")
    assert ended.returncode == 0, ended.stderr
    wait_for(lambda: not any(_alive(pid) for pid in processes), 10, "every process ends")
    assert _segments() - segments == set()
    assert not Layout.of(ROOT, Path(tempfile.gettempdir())).runtime.exists()


def _segments() -> set[str]:
    shared_memory = Path("/dev/shm")
    return {path.name for path in shared_memory.iterdir()} if shared_memory.exists() else set()


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True
