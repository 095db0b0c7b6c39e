"""The configuration is swapped at every turn of the loop, which is at every point where a request waits; each sees one, whole."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence
from itertools import chain, count
from pathlib import Path

import httpx

from stack.control.decision import Arm, DecisionRecord
from stack.control.link import RouterConfig, Trial
from stack.control.state import Dpd, LoadLimits, ModelState, Pools, PoolState
from stack.model.tier import Pool
from stack.router.recording import record_of
from tests.stack.router.bench import RouterBench, fleet
from tests.stack.router.fakes import MODEL, Exchange, FakeEngine
from tests.stack.router.waiting import until

CLIENTS, EACH = 8, 6
REQUESTS = CLIENTS * EACH
MIDDLING = "word " * 300  # 375 tokens as the router estimates them: above one threshold, below the other

# Whatever can differ does.
ODD = ModelState(
    strategy="round_robin",
    fallback_strategy="session",
    session_keys=("header:x-session-id",),
    dpd=Dpd(enabled=True, routing_threshold=256),
    pools=Pools(prefill=PoolState(replicas=1, strategy="prefix_aware"), decode=PoolState(replicas=2)),
    limits=LoadLimits(in_flight=2, queue=1000),
)
EVEN = ModelState(
    strategy="kv_aware",
    fallback_strategy="round_robin",
    session_keys=("body:user",),
    dpd=Dpd(enabled=True, routing_threshold=512),
    limits=LoadLimits(in_flight_per_engine=2, queue=1000),
    shadow_share=1.0,
)


# threshold, why this path, what was compared, who decides in the decode pool, and in its place, who in the prefill pool
GISTS = {
    True: (256, "at_threshold", "377 >= 256", "round_robin", None, "prefix_aware"),
    False: (512, "below_threshold", "377 < 512", "kv_aware", "round_robin", None),
}


def odd(generation: int) -> bool:
    """Of how many bits it has, so that no rhythm of the requests meets only one of the two."""
    return generation.bit_count() % 2 == 1


async def swap(bench: RouterBench, turns: Counter[bool], trial: bool) -> None:
    """Each turn of the loop is another generation, odd ones served as ODD says, even ones as EVEN; counts these turns.

    With a `trial` even ones try ODD on half of the requests.
    """
    tried = {MODEL: Trial(id="x", share=0.5, candidate=ODD)}
    for generation in count(1):
        models, experiments = ({MODEL: ODD}, {}) if odd(generation) else ({MODEL: EVEN}, tried if trial else {})
        config = RouterConfig(version=generation, generation=generation, models=models, experiments=experiments)
        bench.router.configuration.apply(config)
        turns[odd(generation)] += 1
        await asyncio.sleep(0)


async def ask(bench: RouterBench, *, trial: bool = False) -> list[DecisionRecord]:
    """The records of what all clients sent; each answer has told the generation that its record tells."""
    turns: Counter[bool] = Counter()
    swapping = asyncio.create_task(swap(bench, turns, trial))
    await until(lambda: turns.total() > 1)

    async def client() -> list[httpx.Response]:
        headers, users = {"x-session-id": "by header"}, [f"by body {number if trial else 0}" for number in range(EACH)]
        return [await bench.chat(MIDDLING, headers=headers, user=user, stream=number % 3 == 0) for number, user in enumerate(users)]

    answers = chain.from_iterable(await asyncio.gather(*(client() for _ in range(CLIENTS))))
    await until(lambda: len(bench.router.records) == REQUESTS)
    swapping.cancel()
    records = list(map(record_of, bench.router.records.batch(REQUESTS).errands))
    said = {answer.headers["x-kvdeck-request-id"]: answer.headers["x-kvdeck-generation"] for answer in answers}
    assert said == {record.request_id: str(record.generation) for record in records}
    return records


def gist(record: DecisionRecord) -> tuple[object, ...]:
    prefill = None if record.prefill is None else record.prefill.strategy
    return record.threshold, record.path_reason, record.compared, record.decode.strategy, record.decode.decided_by, prefill


def check(records: Sequence[DecisionRecord]) -> None:
    """Each record tells of one of the two configurations, and of nothing in the other; both were met."""
    assert {(odd(record.generation), gist(record)) for record in records} == set(GISTS.items())
    sessions = {(odd(record.generation), record.session) for record in records}
    assert len(sessions) == 2
    assert len({session for _, session in sessions} - {None}) == 2


async def test_a_request_goes_by_one_generation_whatever_is_applied_while_it_waits(tmp_path: Path) -> None:
    async with fleet(tmp_path, FakeEngine("prefill-0", Pool.PREFILL), FakeEngine("decode-0"), FakeEngine("decode-1")) as bench:
        records = await ask(bench)
    check(records)
    assert Counter(record.status for record in records) == {200: REQUESTS}


async def test_so_does_one_that_is_drawn_into_an_experiment(tmp_path: Path) -> None:
    async with fleet(tmp_path, FakeEngine("prefill-0", Pool.PREFILL), FakeEngine("decode-0"), FakeEngine("decode-1")) as bench:
        records = await ask(bench, trial=True)
    assert {(odd(record.generation), record.arm, gist(record)) for record in records} >= {
        (True, None, GISTS[True]),
        (False, Arm.CANDIDATE, GISTS[True]),
        (False, Arm.CONTROL, GISTS[False]),
    }
    assert all(gist(record) == GISTS[odd(record.generation) or record.arm is Arm.CANDIDATE] for record in records)


async def broken(engine: FakeEngine, exchange: Exchange) -> None:
    await exchange.json(500, {"error": "broken"})


async def test_so_does_one_that_falls_back_and_one_that_is_tried_again(tmp_path: Path) -> None:
    engines = FakeEngine("prefill-0", Pool.PREFILL, behave=broken), FakeEngine("decode-0"), FakeEngine("decode-1", behave=broken)
    async with fleet(tmp_path, *engines) as bench:
        records = await ask(bench)
    check([record for record in records if "no_ready_prefill_engine" not in record.fallbacks])
    assert {"decode_error", "prefill_refused"} <= {reason for record in records for reason in record.fallbacks}
