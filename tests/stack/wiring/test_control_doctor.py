"""Control examines its own fleet as `kvdeck doctor` does."""

from __future__ import annotations

from pathlib import Path

from stack.adapters.http_access import Access
from stack.api.settings import ControlSettings, ListedPools
from stack.control.precondition import Verdict
from stack.doctor.check import checks
from stack.wiring.control_doctor import OwnDoctor
from tests.dashboard.fakes import NOWHERE


async def test_every_check_is_made_of_what_control_knows_of(tmp_path: Path) -> None:
    settings = ControlSettings(
        host="127.0.0.1",
        port=0,
        state_dir=tmp_path,
        pools=ListedPools(tmp_path),
        prometheus_url=NOWHERE,
        cache_store="http://x/store",
    )
    found = {one.id: one for one in await OwnDoctor(settings, Access()).examine([], None)}
    assert list(found) == [check.id for check in checks()]
    assert (found["engines_answer"].verdict, found["store_room"].verdict) == (Verdict.UNKNOWN, Verdict.UNKNOWN)
    assert found["rules_loaded"].evidence.startswith("its rules cannot be read: ")
