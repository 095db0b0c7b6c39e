"""What was answered with success survives a kill and a torn write; what was not is whole or not there."""

from __future__ import annotations

import asyncio
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from stack.adapters.audit_store import FILE, SqliteStore
from stack.adapters.sqlite_file import WAL_BYTES
from stack.control.ports import Kept, StoreError
from tests.stack.adapters.keeping import record, state

WAL = FILE + "-wal"


async def _is_whole(folder: Path) -> int:
    """The last generation, after a look at each: its document, its record, nothing missing before it and nothing beyond."""
    store = SqliteStore(folder)
    kept = await store.load()
    last = 0 if kept is None else kept.generation
    records = await store.records(10_000)
    assert kept is None or kept.desired == state(last)
    assert [each.number for each in await store.generations(10_000)] == list(range(last, 0, -1))
    assert [(each.sequence, each.generation) for each in records] == [(number, number) for number in range(last, 0, -1)]
    for number in range(1, last + 1, max(1, last // 20)):
        document = await store.document(number)
        assert isinstance(document, dict)
        assert document["models"]["m"]["dpd"]["routing_threshold"] == number
    store.close()
    return last


def test_a_process_that_is_killed_loses_nothing_that_it_answered_for(tmp_path: Path) -> None:
    answered = 0
    for kill_after in (40, 7):
        keeping = [sys.executable, "-m", "tests.stack.adapters.keeping", str(tmp_path)]
        with subprocess.Popen(keeping, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            for _ in range(kill_after):
                answered = int(process.stdout.readline())
            process.kill()  # while it is at the next
            answered = int(([str(answered), *process.stdout.read().split("\n")[:-1]])[-1])
        assert answered <= asyncio.run(_is_whole(tmp_path)) <= answered + 1


@pytest.mark.parametrize("cut", [1, 100, 5_000, 20_000])
async def test_a_torn_write_undoes_whole_changes(tmp_path: Path, cut: int) -> None:
    store = SqliteStore(tmp_path / "a")
    for generation in range(1, 11):
        await store.keep(Kept(generation, state(generation)), record(generation))
    shutil.copytree(tmp_path / "a", tmp_path / "b")  # as a crash leaves it: nothing has been written back
    store.close()
    wal = tmp_path / "b" / WAL
    with wal.open("r+b") as file:
        file.truncate(wal.stat().st_size - cut)
    assert await _is_whole(tmp_path / "b") < 10


async def test_a_full_disk_keeps_what_was_there_and_takes_more_once_there_is_room(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path)
    await store.keep(Kept(1, state(1)), record(1))
    pages = await store.file.do(lambda db: db.execute("PRAGMA page_count").fetchone()[0])
    await store.file.do(lambda db: db.execute(f"PRAGMA max_page_count={pages}").fetchone())
    with pytest.raises(StoreError, match="full"):
        await _fill(store)
    kept = await store.load()
    assert kept is not None
    generation = kept.generation
    await store.file.do(lambda db: db.execute("PRAGMA max_page_count=1000000").fetchone())
    await store.keep(Kept(generation + 1, state(generation + 1)), record(generation + 1))
    store.close()
    assert await _is_whole(tmp_path) == generation + 1


async def _fill(store: SqliteStore) -> None:
    for generation in range(2, 1_000):
        await store.keep(Kept(generation, state(generation)), record(generation))


async def test_the_log_that_is_written_ahead_stays_small(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path)
    await store.file.do(lambda db: db.execute("PRAGMA synchronous=OFF"))  # it is its length that is looked at
    longest = 0
    for generation in range(1, 1_200):
        await store.keep(Kept(generation, state(generation)), record(generation))
        longest = max(longest, (tmp_path / WAL).stat().st_size)
    assert (tmp_path / FILE).stat().st_size > 1 << 20  # it was written back meanwhile
    assert longest < WAL_BYTES
    store.close()
    db = sqlite3.connect(tmp_path / FILE)
    assert db.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    db.close()
