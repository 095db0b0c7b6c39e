from __future__ import annotations

import sqlite3
from pathlib import Path

import msgspec
import pytest

from stack.adapters.audit_store import FILE, GENERATIONS, LIFE_MOST, SqliteStore, add_record
from stack.control.audit import AuditRecord, Outcome
from stack.control.diff import Change
from stack.control.ports import Kept, StoreError
from tests.stack.control.samples import desired


def _record(generation: int, outcome: Outcome = Outcome.APPLIED) -> AuditRecord:
    change = Change(field="models.smollm2.dpd.enabled", before=True, after=False)
    return AuditRecord(at=1.5, actor="ops", outcome=outcome, generation=generation, diff=(change,), effects=("Off.",))


async def test_what_is_kept_is_there_after_a_restart(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "new" / "folder")
    assert await store.load() is None
    await store.keep(Kept(1, desired()), _record(1))
    await store.keep(Kept(2, desired(decode=3)), _record(2))
    store.close()
    again = SqliteStore(tmp_path / "new" / "folder")
    assert await again.load() == Kept(2, desired(decode=3))
    assert [(record.sequence, record.generation) for record in await again.records(10)] == [(2, 2), (1, 1)]
    again.close()


async def test_a_life_begins_above_all_before_it_also_when_the_clock_went_back(tmp_path: Path) -> None:
    day = 86_400_000
    begun = []
    for clock in (100 * day, 101 * day, 100 * day, 100 * day, 102 * day):
        store = SqliteStore(tmp_path)
        begun.append(await store.life(clock))
        store.close()
    back = 101 * day + LIFE_MOST
    assert begun == [100 * day, 101 * day, back, back + LIFE_MOST, 102 * day]


async def test_what_a_newer_release_noted_is_told_as_far_as_it_is_understood(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path)
    await store.note(_record(1))
    newer = msgspec.to_builtins(_record(2)) | {"outcome": "foretold", "mood": "calm"}
    with sqlite3.connect(tmp_path / FILE) as db:
        db.execute("INSERT INTO audit (record) VALUES (?)", (msgspec.json.encode(newer).decode(),))
    db.close()
    found = await store.records(10)
    assert [(record.outcome, record.generation, record.actor) for record in found] == [
        (Outcome.OTHER, 2, "ops"),
        (Outcome.APPLIED, 1, "ops"),
    ]
    store.close()


async def test_state_and_record_are_kept_together_or_not_at_all(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path)
    await store.keep(Kept(1, desired()), _record(1))
    with pytest.raises(StoreError, match="UNIQUE"):
        await store.keep(Kept(1, desired(decode=3)), _record(1))
    assert await store.load() == Kept(1, desired())
    assert len(await store.records(10)) == 1
    store.close()


async def test_records_come_newest_first_and_as_many_as_asked_for(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path)
    for outcome in (Outcome.STALE, Outcome.REFUSED, Outcome.INVALID):
        await store.note(_record(1, outcome))
    assert [record.outcome for record in await store.records(2)] == [Outcome.INVALID, Outcome.REFUSED]
    store.close()


@pytest.mark.parametrize("statement", ["DELETE FROM audit", "UPDATE audit SET record = '{}'", "DELETE FROM state"])
async def test_nobody_can_rewrite_the_past(tmp_path: Path, statement: str) -> None:
    store = SqliteStore(tmp_path)
    await store.keep(Kept(1, desired()), _record(1))
    store.close()
    db = sqlite3.connect(tmp_path / FILE)
    with pytest.raises(sqlite3.IntegrityError, match="append-only"):
        db.execute(statement)
    db.close()


async def test_a_store_that_is_closed_says_so(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path)
    store.close()
    with pytest.raises(StoreError):
        await store.note(_record(1))


def test_a_folder_that_cannot_be_used_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="cannot be opened"):
        SqliteStore(tmp_path / "file" / "folder")
    (tmp_path / FILE).write_bytes(b"this is not a database, and long enough to show it" * 50)
    with pytest.raises(StoreError, match="cannot be opened"):
        SqliteStore(tmp_path)


async def test_a_run_is_known_once_it_has_begun(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path)
    assert not await store.knows("a")
    await store.begin("a")
    await store.begin("a")
    assert (await store.knows("a"), await store.knows("b")) == (True, False)
    store.close()


async def test_what_is_new_in_the_log_is_told_once_it_is_kept(tmp_path: Path) -> None:
    before = SqliteStore(tmp_path)
    await before.keep(Kept(1, desired()), _record(1))
    before.close()
    told: list[AuditRecord] = []
    store = SqliteStore(tmp_path, told.append)
    await store.note(_record(1, Outcome.REFUSED))
    await store.keep(Kept(2, desired()), _record(2))
    with pytest.raises(StoreError):
        await store.keep(Kept(2, desired()), _record(2))
    await store.file.do(lambda db: add_record(db, _record(2, Outcome.STEP)))  # as another part of control does
    assert tuple(reversed(told)) == (await store.records(10))[:3]
    assert [(record.sequence, record.outcome) for record in told] == [(2, "refused"), (3, "applied"), (4, "step")]
    store.close()


async def test_generations_are_found_without_looking_through_the_log(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path)
    plan = await store.file.do(lambda db: db.execute(f"EXPLAIN QUERY PLAN {GENERATIONS}", ("", "", 0, 0)).fetchall())
    steps = [step[3] for step in plan]
    assert "SEARCH audit USING INDEX audit_of (<expr>=?)" in steps
    assert not any(step.startswith("SCAN") for step in steps)
    store.close()
