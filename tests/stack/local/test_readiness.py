from __future__ import annotations

import asyncio

import pytest

from stack.adapters.supervisor_link import ComponentState
from stack.local import readiness
from stack.local.readiness import follow
from tests.stack.local.living import Obedient, until

READY, FAILED = ComponentState.READY, ComponentState.FAILED


async def test_one_that_stops_answering_is_shown_as_failed_and_may_recover(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(readiness, "READY_LOOK_SECONDS", 0.01)
    probe, shown = Obedient(), list[tuple[ComponentState, str]]()
    following = asyncio.create_task(
        follow(probe, within=1.0, clock=lambda: 0.0, show=lambda *seen: shown.append(seen), on_ready=lambda: None)
    )
    await until(lambda: (READY, "") in shown)
    probe.fault = "no answer in time"
    await until(lambda: shown[-1] == (FAILED, "runs, but does not answer: no answer in time"))
    assert probe.asked[-readiness.MISSES :] == ["alive"] * readiness.MISSES
    probe.fault = None
    await until(lambda: shown[-1] == (READY, ""))
    following.cancel()
