"""A new configuration takes effect on the next request and leaves the running ones alone."""

import asyncio
from pathlib import Path

from stack.control.state import Dpd, ModelState
from stack.model.tier import Pool
from tests.stack.router.bench import LONG, fleet, state, text
from tests.stack.router.fakes import FakeEngine
from tests.stack.router.waiting import until

TURNS = ("round_robin", "session", "prefix_aware", "kv_aware")


async def test_a_switch_in_mid_stream_changes_nothing_for_the_stream_and_everything_for_the_next(tmp_path: Path) -> None:
    prefill, decode = FakeEngine("prefill-0", Pool.PREFILL), FakeEngine("decode-0")
    decode.go_on.clear()
    async with fleet(tmp_path, prefill, decode) as bench:
        bench.apply(7, state("round_robin", threshold=512))
        running = asyncio.create_task(bench.stream(LONG))
        await decode.first_token_out.wait()
        bench.apply(8, ModelState(strategy="session", dpd=Dpd(enabled=False)))
        decode.go_on.set()
        after, _ = await bench.stream(LONG)
        before, events = await running
    assert text(events) == "Paris is old."
    names = ("generation", "strategy", "path")
    assert [before.headers[f"x-kvdeck-{name}"] for name in names] == ["7", "round_robin", "dpd"]
    assert [after.headers[f"x-kvdeck-{name}"] for name in names] == ["8", "session", "direct"]


async def test_a_router_that_is_told_of_others_counts_on_what_they_sent(tmp_path: Path) -> None:
    async with fleet(tmp_path, FakeEngine("decode-0")) as bench:
        bench.apply(7, state())
        alone = bench.router.in_flight.sent.others.seen
        bench.apply(8, state(), others=True)
        assert (alone, bench.router.in_flight.sent.others.seen) == (False, True)


async def test_under_load_every_answer_carries_one_generation_whole(tmp_path: Path) -> None:
    engines = FakeEngine("prefill-0", Pool.PREFILL), FakeEngine("decode-0"), FakeEngine("decode-1")
    expected = {str(number): TURNS[number % 4] for number in range(1, 41)}
    async with fleet(tmp_path, *engines) as bench:
        bench.apply(1, state(TURNS[1]))

        async def ask(number: int) -> tuple[int, str, str]:
            answer = await bench.chat(f"{LONG if number % 5 == 0 else 'hello'} {number}")
            return answer.status_code, answer.headers["x-kvdeck-generation"], answer.headers["x-kvdeck-strategy"]

        async def switch() -> None:
            for number in range(2, 41):
                bench.apply(number, state(TURNS[number % 4]), draining=("decode-1",) if number % 3 == 0 else ())
                await asyncio.sleep(0.005)

        async with asyncio.TaskGroup() as tasks:
            switching = tasks.create_task(switch())
            asking = []
            number = 0
            while not switching.done():
                asking.append(tasks.create_task(ask(number)))
                number += 1
                await asyncio.sleep(0.002)
        answers = [task.result() for task in asking]
    assert {status for status, _, _ in answers} == {200}
    assert all(strategy == expected[generation] for _, generation, strategy in answers)
    assert len({generation for _, generation, _ in answers}) > 5


async def test_a_switch_is_warm_since_all_strategies_learn(tmp_path: Path) -> None:
    engines = FakeEngine("decode-0"), FakeEngine("decode-1")
    async with fleet(tmp_path, *engines) as bench:
        bench.apply(1, state("round_robin"))
        first = await bench.chat(LONG)
        await bench.record()
        bench.apply(2, state("prefix_aware"))
        again = await bench.chat(LONG + "more")
        await until(lambda: len(bench.router.records) == 2)
        record = await bench.record()
    assert again.headers["x-kvdeck-engine"] == first.headers["x-kvdeck-engine"]
    assert record.decode.reason == "longest_prefix"
