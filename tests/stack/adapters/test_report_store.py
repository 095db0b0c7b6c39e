"""Reports outlive the process; the oldest give way."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from stack.adapters.audit_store import SqliteStore
from stack.adapters.report_store import SqliteReports
from stack.control.cost import Prices
from stack.control.course import Course
from stack.control.ports import StoreError
from stack.control.report import Report
from stack.control.state import ModelState


def made(generation: int, model: str = "smollm2") -> Report:
    course = Course(model, 1, 0.0, Prices.of(ModelState()))
    course.changed(generation, 1.0)
    (report,) = course.unfinished()
    return report


async def test_they_are_read_as_they_were_kept(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path)
    reports = SqliteReports(store.file)
    await reports.put([made(2), made(2, "other"), made(3)])
    await reports.put([msgspec.structs.replace(made(2), complete=True)])
    store.close()
    again = SqliteStore(tmp_path)
    assert await SqliteReports(again.file).of(2) == (made(2, "other"), msgspec.structs.replace(made(2), complete=True))
    assert await SqliteReports(again.file).of(4) == ()
    again.close()


async def test_those_of_the_newest_changes_are_kept(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path)
    reports = SqliteReports(store.file, kept=2)
    await reports.put([made(2), made(5)])
    await reports.put([made(5, "other"), made(9)])
    assert [len(await reports.of(generation)) for generation in (2, 5, 9)] == [0, 2, 1]
    store.close()


async def test_what_cannot_be_kept_is_an_error(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path)
    reports = SqliteReports(store.file)
    store.close()
    with pytest.raises(StoreError):
        await reports.put([made(2)])
