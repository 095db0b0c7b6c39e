"""Looks come one after the other, sooner when somebody pokes, and a fault ends none of them."""

from __future__ import annotations

import asyncio
import logging

import pytest

from stack.api.looking import Looking


class Counting(Looking):
    """Fails at its first look, pokes itself at each but the last, and ends there."""

    every_seconds = 3600.0

    def __init__(self, looks: int) -> None:
        super().__init__()
        self.left = looks
        self.done = asyncio.Event()

    async def tick(self) -> None:
        self.left -= 1
        if not self.left:
            self.done.set()
            return
        self.poke()
        if self.left == 2:
            raise RuntimeError("one look")


async def test_a_fault_is_logged_whole_and_the_next_look_comes(caplog: pytest.LogCaptureFixture) -> None:
    looking = Counting(3)
    running = asyncio.create_task(looking.run())
    async with asyncio.timeout(5):
        await looking.done.wait()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    (told,) = [record for record in caplog.records if record.levelno >= logging.ERROR]
    assert (told.message, told.__dict__["looking"], told.exc_info is not None) == ("a look failed", "Counting", True)
