"""Limits are looked at together: one may strike a little late, none early, and none costs a timer of its own."""

import asyncio

from stack.router.limit import TICK_S, Limits


class Wait:
    def __init__(self) -> None:
        self.over = asyncio.get_running_loop().create_future()

    def interrupt(self, why: str) -> None:
        self.over.set_result(why)


async def test_a_limit_strikes_within_a_tick_of_its_time_and_never_before() -> None:
    limits, wait = Limits(), Wait()
    loop = asyncio.get_running_loop()
    began = loop.time()
    limit = limits.start(0.15, "nothing came for")
    limit.guard(wait)
    assert await asyncio.wait_for(wait.over, 60) == "nothing came for 0.15 s"
    assert limit.expired
    assert loop.time() - began >= 0.15
    limit.drop()
    limits.close()


async def test_a_limit_that_was_set_anew_or_dropped_does_not_strike() -> None:
    limits, waits = Limits(), [Wait() for _ in range(3)]
    dropped, endless, later = (limits.start(0.0, "silent for") for _ in waits)
    for limit, wait in zip((dropped, endless, later), waits, strict=True):
        limit.guard(wait)
    dropped.drop()
    endless.set(None)
    later.set(60.0, "silent for")
    await asyncio.sleep(2 * TICK_S)
    assert [wait.over.done() for wait in waits] == [False] * 3
    limits.close()


async def test_a_wait_that_begins_after_its_limit_was_ended_is_over_at_once() -> None:
    limits, wait = Limits(), Wait()
    limit = limits.start(60.0, "silent for")
    limit.end()
    limit.guard(wait)
    assert wait.over.result() == "silent for 60 s"
    limits.close()
