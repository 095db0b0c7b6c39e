"""Decisions as they come: a reader resumes where it was, is kept awake, sent away when it is too slow, and at the end."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import pytest
from starlette.types import Message

from stack.api import decision_stream
from stack.api.decision_stream import DecisionStream, Feed
from stack.api.ring import DecisionRing, Filter
from stack.control.link import RouterReport
from tests.decisions import decision

EVERYTHING = Filter()


@dataclass
class Reader:
    """Reads what it is sent, unless it is `stuck`."""

    stuck: asyncio.Event | None = None
    text: str = ""
    ended: bool = False
    leaving: asyncio.Event = field(default_factory=asyncio.Event)
    _heard: asyncio.Event = field(default_factory=asyncio.Event)

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            return
        if self.stuck is not None and message["body"]:
            await self.stuck.wait()
        self.text += message["body"].decode()
        self.ended = not message["more_body"]
        self._heard.set()

    async def receive(self) -> Message:
        await self.leaving.wait()
        return {"type": "http.disconnect"}

    async def until(self, part: str) -> None:
        async with asyncio.timeout(60):
            while part not in self.text:
                self._heard.clear()
                await self._heard.wait()

    def ids(self) -> list[str]:
        return [line.removeprefix("id: ") for line in self.text.splitlines() if line.startswith("id: ")]


class Told:
    def __init__(self) -> None:
        self.slow = 0

    def __call__(self) -> None:
        self.slow += 1


def take(ring: DecisionRing, *names: str, path: str = "direct") -> None:
    decisions = tuple(decision(request_id=name, path=path) for name in names)
    ring.take(RouterReport(id="r", version=1, generation=1, decisions=decisions))


@asynccontextmanager
async def reading(
    feed: Feed,
    wanted: Filter = EVERYTHING,
    last: str | None = None,
    reader: Reader | None = None,
    heartbeat: float = 60.0,
    standing: Callable[[], bool] = lambda: True,
) -> AsyncIterator[Reader]:
    reader = reader or Reader()
    stream = asyncio.create_task(DecisionStream(feed, wanted, last, standing, heartbeat, 0.01)({}, reader.receive, reader.send))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    try:
        yield reader
    finally:
        reader.leaving.set()
        async with asyncio.timeout(60):
            await stream
    assert feed.readers == 0


async def test_a_reader_gets_what_comes_from_now_on_and_only_what_it_wants() -> None:
    feed = Feed(DecisionRing(), 10, Told())
    take(feed.ring, "before")
    async with reading(feed, Filter(path="dpd")) as reader:
        take(feed.ring, "direct")
        take(feed.ring, "disaggregated", path="dpd")
        await reader.until("disaggregated")
    assert reader.ids() == ["a-3"]


@pytest.mark.parametrize(
    ("last", "since", "expected"),
    [
        ("a-1", None, ["a-2", "a-3"]),
        ("9-7", None, ["a-1", "a-2", "a-3"]),
        ("nonsense", None, ["a-1", "a-2", "a-3"]),
        (None, 0.0, ["a-1", "a-2", "a-3"]),
    ],
)
async def test_a_reader_goes_on_where_it_was(last: str | None, since: float | None, expected: list[str]) -> None:
    feed = Feed(DecisionRing(), 10, Told())
    take(feed.ring, "one", "two", "three")
    async with reading(feed, Filter(since=since), last) as reader:
        await reader.until('"three"')
    assert reader.ids() == expected


async def test_what_left_the_ring_meanwhile_is_counted_for_the_reader() -> None:
    feed = Feed(DecisionRing(capacity_bytes=1_000), 10, Told())
    take(feed.ring, *(f"r{number}" for number in range(20)))
    async with reading(feed, last="a-1") as reader:
        await reader.until("r19")
    assert f'event: missed\ndata: {{"decisions":{feed.ring.first - 2}}}' in reader.text


async def test_silence_is_broken_by_comments() -> None:
    async with reading(Feed(DecisionRing(), 10, Told()), heartbeat=0.001) as reader:
        await reader.until(": still here\n\n: still here")


async def test_all_readers_are_sent_home_at_the_end() -> None:
    feed = Feed(DecisionRing(), 10, Told())
    async with reading(feed) as reader:
        feed.close()
        await reader.until(": control ends")
    assert reader.ended


async def test_a_reader_that_takes_nothing_is_dropped_and_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decision_stream, "SEND_SECONDS", 0.01)
    told = Told()
    feed = Feed(DecisionRing(), 10, told)
    stuck = Reader(stuck=asyncio.Event())
    stream = asyncio.create_task(DecisionStream(feed, Filter(since=0.0), None, lambda: True)({}, stuck.receive, stuck.send))
    take(feed.ring, "one")
    async with asyncio.timeout(60):
        await stream
    assert (told.slow, feed.readers, stuck.text) == (1, 0, "")


async def test_a_reader_that_the_ring_overtakes_is_told_and_counted() -> None:
    told = Told()
    feed = Feed(DecisionRing(capacity_bytes=1_000), 10, told)
    reader = Reader(stuck=asyncio.Event())
    async with reading(feed, reader=reader):
        take(feed.ring, "first")
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        take(feed.ring, *(f"r{number}" for number in range(20)))
        assert reader.stuck is not None
        reader.stuck.set()
        await reader.until("too_slow")
    assert told.slow == 1


async def test_who_reads_by_a_token_that_was_taken_back_reads_no_more() -> None:
    ring, counts = DecisionRing(), [True]
    async with reading(Feed(ring, 1, Told()), standing=lambda: counts[0]) as reader:
        take(ring, "a")
        await reader.until("id: 1-1")
        counts[0] = False
        await reader.until(": the token counts no more")
        assert reader.ended
        take(ring, "b")
        assert reader.ids() == ["1-1"]
