"""Changes go on whatever becomes of each, and what was answered is remembered."""

from __future__ import annotations

import random

from stack.bench.changes.changer import Changer, patiently
from stack.bench.changes.proposals import Proposals
from stack.strategies.base import names
from tests.stack.bench.changes.control import FakeControl


async def test_only_changes_that_are_answered_with_success_count() -> None:
    numbers: list[int] = []

    async def changed(number: int) -> None:
        numbers.append(number)

    with FakeControl(200, 422, 409, 0, 200).client() as control:
        changer = Changer(control, "m", Proposals(random.Random(1), tuple(names())), random.Random(1), changed)
        await changer.run(2, 0.0, lambda: False)
    journal = changer.journal
    assert list(journal.sent) == [f"bench-changes {number}" for number in range(1, 6)]
    assert journal.answered == {"bench-changes 1": 2, "bench-changes 5": 3}
    assert (dict(journal.refused), journal.stale, journal.unanswered) == ({"refused pools.decode.replicas": 1}, 1, 1)
    assert numbers == [1, 2]
    assert not changer.busy


async def test_control_that_is_away_is_waited_for() -> None:
    with FakeControl(away=2).client() as control:
        assert (await patiently(control.health)).generation == 1
