"""Measuring stands beside steering and never in its way."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from stack.adapters.audit_store import SqliteStore
from stack.adapters.report_store import SqliteReports
from stack.api.board import Board
from stack.api.reporter import Reporter
from stack.api.ring import DecisionRing
from stack.api.routers import Routers
from stack.api.sight import Sight
from stack.control.link import RouterReport
from stack.control.ports import Kept
from tests.decisions import decision
from tests.stack.api.deck import Clock
from tests.stack.control.samples import desired


def test_what_goes_wrong_in_measuring_hinders_no_router(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    clock, store = Clock(), SqliteStore(tmp_path)
    board, ring = Board(Kept(1, desired()), 1), DecisionRing()
    sight = Sight(board, Routers(clock), clock.wall)
    Reporter(board=board, ring=ring, sight=sight, store=SqliteReports(store.file), wall=clock.wall)
    broken = msgspec.structs.replace(decision(), output_tokens=9, ttft_seconds=0.1, total_seconds="long")
    ring.take(RouterReport(id="r", version=1, generation=1, decisions=(broken,)))
    assert [record.message for record in caplog.records] == ["not measured"]
    assert len(ring) == 1
    store.close()
