"""Work beside the requests goes on after a fault."""

import asyncio

from stack.router import background


async def test_a_fault_is_reported_and_the_work_begins_anew() -> None:
    begun = asyncio.Semaphore(0)
    failed: list[str] = []

    async def work() -> None:
        begun.release()
        if len(failed) < 2:
            raise RuntimeError("a fault")
        await asyncio.Event().wait()

    task = asyncio.create_task(background.keep_going("models", work, failed.append, pause_s=0.0))
    async with asyncio.timeout(60):
        for _ in range(3):
            await begun.acquire()
    assert failed == ["models", "models"]
    task.cancel()
