"""A control that hangs and wakes: what a router sent again meanwhile counts once."""

from __future__ import annotations

import asyncio
import signal
from pathlib import Path

import pytest

from stack.adapters.control_link import ControlLink, ControlUnavailableError
from stack.api.client import ControlClient
from stack.control.link import RouterReport
from tests.decisions import decision
from tests.stack.wiring.control_process import furnish, running_control

DEADLINE_SECONDS = 0.2


async def test_what_was_sent_again_while_control_hung_counts_once(tmp_path: Path) -> None:
    furnish(tmp_path)
    decisions = tuple(decision(request_id=f"r{number}") for number in range(3))
    report = RouterReport(id="r", version=-1, generation=0, decisions=decisions, dropped=2, life="1", first=2)
    with running_control(tmp_path, "--config", str(tmp_path / "config.yaml")) as process:
        process.popen.send_signal(signal.SIGSTOP)
        async with ControlLink(process.url, "r", deadline_seconds=DEADLINE_SECONDS) as link:
            for _ in range(3):
                with pytest.raises(ControlUnavailableError, match="ReadTimeout"):
                    await link.report(report)
        process.popen.send_signal(signal.SIGCONT)
        async with ControlLink(process.url, "r") as link:
            await link.report(report)
        with ControlClient(process.url) as client:
            told = await asyncio.to_thread(client.decisions)
    assert [record.request_id for record in told.decisions] == ["r2", "r1", "r0"]
    assert told.dropped == 2
