"""One answer a connection over a Unix socket."""

import asyncio
from pathlib import Path

from stack.adapters.local_answer import answering, ask


async def _large() -> bytes:
    return b"x" * 3_000_000


async def _never() -> bytes:
    await asyncio.Event().wait()
    return b""


async def test_who_asks_is_told_all_of_it(tmp_path: Path) -> None:
    async with await answering(tmp_path / "s", _large):
        assert await ask(tmp_path / "s", 5.0) == await _large()


async def test_nobody_there_and_nothing_in_time_are_no_answer(tmp_path: Path) -> None:
    assert await ask(tmp_path / "s", 5.0) is None
    async with await answering(tmp_path / "s", _never):
        assert await ask(tmp_path / "s", 0.01) is None


async def test_a_socket_that_a_killed_process_left_is_replaced(tmp_path: Path) -> None:
    (await answering(tmp_path / "s", _never)).close()
    async with await answering(tmp_path / "s", _large):
        assert await ask(tmp_path / "s", 5.0) == await _large()
