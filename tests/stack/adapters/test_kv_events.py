"""Following KV events over real ZMQ sockets."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

import msgspec
import pytest

from stack.adapters.kv_events import KvEventSubscriber
from stack.adapters.kv_listener import Timing
from stack.cache.followed import Knowledge
from stack.cache.index import BlockIndex
from stack.model.target import Target
from stack.model.tier import Tier
from tests.stack.adapters.kv_publisher import CLEARED, PROMPT, Publisher, removed, stored

FAST = Timing(heartbeat=0.05, answer=0.5, retry=0.02)
PATIENT = Timing(heartbeat=30.0, answer=0.5, retry=0.02)  # no heartbeat comes to help


@dataclass
class Heard:
    """A KvEventListener that remembers."""

    evicted_blocks: int = 0
    gaps: list[bool] = field(default_factory=list)
    caches_lost: int = 0

    def evicted(self, target: Target, blocks: int) -> None:
        self.evicted_blocks += blocks

    def gap(self, target: Target, *, recovered: bool) -> None:
        self.gaps.append(recovered)

    def cache_lost(self, target: Target) -> None:
        self.caches_lost += 1


class Router:
    """The subscriber with its index, as a router holds them."""

    def __init__(self, timing: Timing, bind_at: str | None = None) -> None:
        self.index = BlockIndex()
        self.heard = Heard()
        self.subscriber = KvEventSubscriber(self.index, self.heard, clock=lambda: 5.0, timing=timing, bind_at=bind_at)

    def cached(self, engine: str = "decode-0") -> int | None:
        """Tokens of PROMPT known on an engine, None when its placement is unknown."""
        held = self.index.lookup([*PROMPT, 1], [engine], now=7.0).engines.get(engine)
        return None if held is None else held.engine_tokens

    def knowledge(self) -> Knowledge:
        return self.index.knowledge("decode-0")


@asynccontextmanager
async def router(*targets: Target, timing: Timing = FAST, bind_at: str | None = None) -> AsyncIterator[Router]:
    made = Router(timing, bind_at)
    made.subscriber.watch(targets)
    task = asyncio.create_task(made.subscriber.run())
    try:
        yield made
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        assert task.cancelled(), task.exception()


def free_port_pair() -> int:
    """A port that is free, and so is the next."""
    while True:
        with socket.socket() as one, socket.socket() as next_one:
            one.bind(("127.0.0.1", 0))
            port: int = one.getsockname()[1]
            try:
                next_one.bind(("127.0.0.1", port + 1))
            except (OSError, OverflowError):
                continue
            return port


async def until(condition: Callable[[], bool]) -> None:
    """Wait for what other sockets bring about."""
    async with asyncio.timeout(60):
        while not condition():  # noqa: ASYNC110  # nobody sets an event for what an index has learnt
            await asyncio.sleep(0.005)


@pytest.fixture
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Short: the path of an ipc socket is limited to 107 bytes."""
    return tmp_path_factory.mktemp("kv")


async def test_what_was_stored_before_the_router_came_is_replayed_and_what_comes_after_is_heard(folder: Path) -> None:
    async with Publisher(folder) as engine:
        await engine.publish(stored(1, 2))
        await engine.publish(removed(99), stored(50))
        async with router(engine.target, timing=PATIENT) as deck:
            await until(lambda: deck.cached() == 8)
            await engine.publish(stored(3, parent=2, start=2))
            await until(lambda: deck.cached() == 12)
            await engine.publish(removed(3, 2))
            await until(lambda: deck.cached() == 4)
            assert deck.index.lookup(PROMPT, ["decode-0"], 7.0).engines["decode-0"].age_seconds == 2.0
            assert deck.heard == Heard(evicted_blocks=2)


async def test_an_engine_that_has_stored_nothing_is_known_to_be_empty(folder: Path) -> None:
    async with Publisher(folder) as engine, router(engine.target) as deck:
        await until(lambda: deck.cached() == 0)


async def test_an_engine_that_starts_after_the_router_is_found(folder: Path) -> None:
    engine = Publisher(folder)
    async with router(engine.target, timing=replace(FAST, answer=0.05)) as deck:
        await asyncio.sleep(0.1)
        assert deck.cached() is None
        async with engine:
            await engine.publish(stored(1))
            await until(lambda: deck.cached() == 4)


async def test_a_gap_is_filled_from_the_replay(folder: Path) -> None:
    async with Publisher(folder) as engine, router(engine.target, timing=PATIENT) as deck:
        await until(lambda: deck.cached() == 0)
        await engine.publish(stored(1))
        await until(lambda: deck.cached() == 4)
        await engine.publish(stored(2, parent=1, start=1), lost=True)
        await engine.publish(stored(3, parent=2, start=2))
        await until(lambda: deck.cached() == 12)
        assert deck.heard == Heard(gaps=[True])


async def test_a_gap_the_buffer_cannot_fill_makes_the_placement_partial_until_relearnt(folder: Path) -> None:
    async with Publisher(folder, buffered=1) as engine, router(engine.target, timing=PATIENT) as deck:
        await until(lambda: deck.cached() == 0)
        await engine.publish(stored(1, 2))
        await until(lambda: deck.cached() == 8)
        await engine.publish(removed(2), lost=True)
        await engine.publish(removed(1), lost=True)
        await engine.publish(stored(7))
        await until(lambda: deck.knowledge() is Knowledge.PARTIAL)
        assert deck.cached() == 4
        await engine.publish(removed(7))
        await until(lambda: deck.knowledge() is Knowledge.WHOLE)
        assert deck.heard == Heard(gaps=[False], evicted_blocks=1)


async def test_a_gap_nobody_answers_for_is_unrecovered(folder: Path) -> None:
    async with Publisher(folder) as engine, router(engine.target, timing=replace(PATIENT, answer=0.1)) as deck:
        await until(lambda: deck.cached() == 0)
        await engine.publish(stored(1, 2))
        await until(lambda: deck.cached() == 8)
        engine.answering = False
        await engine.publish(lost=True)
        await engine.publish(removed(2))
        await until(lambda: deck.heard.gaps == [False])
        assert (deck.cached(), deck.knowledge()) == (0, Knowledge.PARTIAL)


async def test_what_an_answer_leaves_out_is_asked_for_again(folder: Path) -> None:
    async with Publisher(folder) as engine:
        for block in range(6):
            await engine.publish(stored(block, parent=block - 1 if block else None, start=block))
        engine.dropping = {2, 4}
        async with router(engine.target, timing=PATIENT) as deck:
            await until(lambda: deck.cached() == 24)
            assert (deck.heard, deck.knowledge(), engine.replays) == (Heard(), Knowledge.WHOLE, 2)


async def test_a_long_buffer_is_replayed_whole(folder: Path) -> None:
    async with Publisher(folder) as engine:
        for block in range(3000):  # thrice what a socket queues
            await engine.publish(stored(10_000 + block))
        await engine.publish(stored(2, parent=12_999, start=1))
        async with router(engine.target, timing=PATIENT) as deck:
            await until(lambda: deck.cached() == 8)
            assert (deck.heard, deck.knowledge()) == (Heard(), Knowledge.WHOLE)


async def test_a_heartbeat_finds_what_never_arrived(folder: Path) -> None:
    async with Publisher(folder) as engine, router(engine.target) as deck:
        await until(lambda: deck.cached() == 0)
        await engine.publish(stored(1), lost=True)
        await until(lambda: deck.cached() == 4)


async def test_a_publisher_that_answers_no_more_is_not_trusted_until_it_does(folder: Path) -> None:
    async with Publisher(folder) as engine, router(engine.target, timing=replace(FAST, answer=0.05)) as deck:
        await engine.publish(stored(1))
        await until(lambda: deck.cached() == 4)
        engine.answering = False
        await until(lambda: deck.cached() is None)
        engine.answering = True
        await until(lambda: deck.cached() == 4)
        assert deck.heard == Heard()


@pytest.mark.parametrize("batches", [0, 1, 2, 3])
async def test_a_restarted_engine_starts_from_nothing_whatever_number_it_has_reached(folder: Path, batches: int) -> None:
    first = Publisher(folder)
    async with router(first.target, timing=replace(FAST, answer=0.1)) as deck:
        async with first:
            await first.publish(stored(1, 2))
            await first.publish(stored(3, parent=2, start=2))
            await until(lambda: deck.cached() == 12)
        async with Publisher(folder, started_at=500.0) as second:
            for name in range(batches):
                await second.publish(stored(70 + name))
            await until(lambda: deck.heard.caches_lost == 1 and deck.cached() == (4 if batches else 0))
            assert deck.heard.gaps == []


async def test_a_cleared_cache_is_empty_and_reported(folder: Path) -> None:
    async with Publisher(folder) as engine, router(engine.target, timing=PATIENT) as deck:
        await until(lambda: deck.cached() == 0)
        await engine.publish(stored(1))
        await until(lambda: deck.cached() == 4)
        await engine.publish(CLEARED)
        await until(lambda: deck.cached() == 0)
        assert deck.heard == Heard(caches_lost=1)


async def test_a_batch_that_cannot_be_read_leaves_a_hole(folder: Path) -> None:
    async with Publisher(folder) as engine, router(engine.target, timing=PATIENT) as deck:
        await until(lambda: deck.cached() == 0)
        await engine.publish(stored(1, 2))
        await until(lambda: deck.cached() == 8)
        await engine.publish(raw=msgspec.msgpack.encode([1.0, [{"type": "BlockMoved"}]]))
        await engine.publish(removed(9))
        await until(lambda: deck.heard.gaps == [False])
        assert (deck.cached(), deck.knowledge()) == (0, Knowledge.PARTIAL)


async def test_an_engine_that_is_no_longer_watched_is_forgotten_and_others_stay(folder: Path) -> None:
    async with Publisher(folder, "a") as one, Publisher(folder, "b") as other, router(one.target, other.target) as deck:
        await one.publish(stored(1))
        await other.publish(stored(1))
        await until(lambda: (deck.cached("a"), deck.cached("b")) == (4, 4))
        deck.subscriber.watch([other.target])
        await until(lambda: deck.cached("a") is None)
        assert deck.cached("b") == 4
        deck.subscriber.watch([one.target, other.target])
        await until(lambda: deck.cached("a") == 4)


async def test_an_engine_without_replay_is_unknown_until_it_is_heard_and_then_known_in_part(folder: Path) -> None:
    async with Publisher(folder) as engine:
        target = msgspec.structs.replace(engine.target, replay=None)
        async with router(target, timing=FAST) as deck:
            async with asyncio.timeout(60):
                while deck.cached() is None:  # a subscription takes a moment, and what is published before it is lost
                    await engine.publish(stored(1))
                    await asyncio.sleep(0.02)
            await engine.publish(stored(2, parent=1, start=1))
            await until(lambda: deck.cached() == 8)
            assert deck.knowledge() is Knowledge.PARTIAL
            await engine.publish(lost=True)
            await engine.publish(stored(60))
            await until(lambda: deck.heard.gaps == [False])
            assert (deck.cached(), deck.knowledge()) == (4, Knowledge.PARTIAL)


async def test_an_endpoint_that_is_none_harms_no_other_engine(folder: Path) -> None:
    async with Publisher(folder) as engine:
        broken = msgspec.structs.replace(engine.target, replica="broken", kv_events="nonsense")
        async with router(broken, engine.target) as deck:
            await until(lambda: deck.cached() == 0)
            assert deck.index.blocks("broken", Tier.ENGINE) is None


async def test_targets_without_events_are_not_followed(folder: Path) -> None:
    target = msgspec.structs.replace(Publisher(folder).target, kv_events=None)
    async with router(target) as deck:
        await asyncio.sleep(0)
        assert deck.cached() is None


async def test_every_data_parallel_rank_is_followed(folder: Path) -> None:
    port = free_port_pair()
    async with (
        Publisher(folder, events_at=f"tcp://127.0.0.1:{port}") as first,
        Publisher(folder, "rank-1", events_at=f"tcp://127.0.0.1:{port + 1}") as second,
    ):
        target = msgspec.structs.replace(first.target, replay=None, kv_event_ranks=2)
        async with router(target) as deck, asyncio.timeout(60):
            while deck.index.blocks("decode-0", Tier.ENGINE) != 3:  # what is published before a subscription is lost
                await first.publish(CLEARED, stored(1))
                await second.publish(CLEARED, stored(1, 2))
                await asyncio.sleep(0.02)
            assert deck.cached() == 8


async def test_ranks_that_cannot_be_told_apart_harm_no_other_engine(folder: Path) -> None:
    async with Publisher(folder) as engine:
        broken = msgspec.structs.replace(engine.target, replica="broken", kv_event_ranks=2)
        async with router(broken, engine.target) as deck:
            await until(lambda: deck.cached() == 0)
            assert deck.cached("broken") is None


async def test_engines_that_connect_are_told_apart_by_their_topics(folder: Path) -> None:
    board = f"ipc://{folder}/board"
    async with (
        Publisher(folder, "decode-1", connect_to=board) as one,
        Publisher(folder, "decode-10", connect_to=board) as other,
        router(one.target, other.target, timing=FAST, bind_at=board) as deck,
    ):
        await one.publish(stored(1))
        await other.publish(stored(1, 2))
        await until(lambda: (deck.cached("decode-1"), deck.cached("decode-10")) == (4, 8))
        await one.publish(stored(2, parent=1, start=1))
        await until(lambda: deck.cached("decode-1") == 8)
        assert deck.heard == Heard()


async def test_an_address_for_engines_to_connect_to_that_is_none_harms_no_other_engine(folder: Path) -> None:
    async with Publisher(folder) as engine, router(engine.target, bind_at="nonsense") as deck:
        await until(lambda: deck.cached() == 0)
