"""Kills come after recoveries, and each recovery is timed from its kill."""

from __future__ import annotations

import random
from itertools import count

from stack.bench.changes.killer import Killer, Wounds
from tests.stack.bench.changes.control import FakeControl


class Machinery:
    """Control has no process yet when it is first looked for."""

    def __init__(self, control: FakeControl) -> None:
        self._control = control
        self.said: list[str] = []

    async def kill(self) -> bool:
        self.said.append("kill")
        self._control.away = 1
        return len(self.said) > 1

    async def forget_failures(self) -> None:
        self.said.append("forget")


async def test_each_kill_is_timed_until_control_answers_and_until_routers_follow() -> None:
    control, ticks = FakeControl(), count()
    machinery = Machinery(control)

    async def sleep(seconds: float) -> None:
        assert 0.0 <= seconds <= 1.0

    with control.client() as client:
        killer = Killer(client, machinery, lambda: True, random.Random(1), lambda: float(next(ticks)), sleep)
        await killer.run(2)
    assert machinery.said == ["kill", "kill", "forget", "kill", "forget"]
    assert killer.wounds == Wounds(kills=2, struck=2, answering=[1.0, 1.0], followed=[2.0, 2.0])
