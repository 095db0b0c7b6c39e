"""What the demo reads and waits for, and how it ends when that does not come."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, repeat

import httpx
import msgspec
import pytest

from stack.api.client import ControlClient
from stack.cache.relay import STORE, CacheUpdate, RelayedChunk, RelayedLedger
from stack.demo.error import DemoError
from stack.demo.reading import Reading
from stack.demo.stage import KEPT_SECONDS, SEEN_SECONDS, Stage
from stack.demo.whereabouts import Whereabouts
from stack.engines.lmcache_chunks import chunk_names
from stack.model.tier import Source
from stack.traffic.client import Client

BOTH = """\
kvdeck_prompt_tokens_total{replica="decode-0",source="engine"} 100
kvdeck_prompt_tokens_total{replica="decode-0",source="computed"} 50
kvdeck_prompt_tokens_total{replica="decode-1",source="engine"} 7
kvdeck_kv_transfer_bytes_total{replica="decode-0",transport="nixl",direction="receive"} 4096
"""
ONE = 'kvdeck_prompt_tokens_total{replica="decode-0",source="engine"} 100\n'
READINGS = {
    "decode-0": Reading({**dict.fromkeys(Source, 0.0), Source.ENGINE: 100.0, Source.COMPUTED: 50.0}, 4096.0),
    "decode-1": Reading({**dict.fromkeys(Source, 0.0), Source.ENGINE: 7.0}, 0.0),
}
TOKENS = range(600)
CHUNKS = chunk_names(TOKENS, 256)


@dataclass
class Time:
    """A clock that only sleeping moves."""

    now: float = 0.0

    def clock(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.now += seconds


@dataclass
class Exporter:
    """Gives the expositions in turn, the last for ever."""

    expositions: Sequence[str]
    _turns: Iterator[str] = field(init=False)

    def __post_init__(self) -> None:
        self._turns = chain(self.expositions, repeat(self.expositions[-1]))

    def __call__(self, request: httpx.Request) -> httpx.Response:
        return httpx.Response(200, headers={"content-type": "text/plain"}, stream=httpx.ByteStream(next(self._turns).encode()))


@dataclass
class Control:
    """Relays that L1 and L2 hold so many of the prompt's chunks: the next number each time it is asked, the last for ever."""

    l1: Sequence[int]
    l2: Sequence[int]
    asked: int = 0

    def __call__(self, request: httpx.Request) -> httpx.Response:
        turn, self.asked = self.asked, self.asked + 1
        l1 = _ledger("lmcache", self.l1[min(turn, len(self.l1) - 1)], turn)
        l2 = _ledger(STORE, self.l2[min(turn, len(self.l2) - 1)], turn)
        return httpx.Response(200, content=msgspec.msgpack.encode(CacheUpdate(epoch=1, version=turn + 1, ledgers=(l1, l2))))


def _ledger(server: str, held: int, turn: int) -> RelayedLedger:
    known = [turn + 1 if index < held else 0 for index in range(len(CHUNKS))]
    chunks = tuple(RelayedChunk("/m", "", name, turn + 1, at) for name, at in zip(CHUNKS, known, strict=True))
    return RelayedLedger(server=server, complete=True, algorithm="blake3", chunk_tokens=256, chunks=chunks)


Answer = Callable[[httpx.Request], httpx.Response]


def stage(exporter: Answer | None = None, control: Answer | None = None, time: Time | None = None) -> Stage:
    time = time or Time()
    http = httpx.AsyncClient(transport=httpx.MockTransport(exporter or Exporter([BOTH])))
    client = ControlClient("http://control", transport=httpx.MockTransport(control or Control([2], [2])))
    return Stage(
        client=Client(http, "http://router", "m", time.clock),
        http=http,
        exporter_url="http://exporter",
        control=client,
        whereabouts=Whereabouts(client, "/m", "lmcache", lambda prompt: TOKENS, time.clock),
        engines=frozenset({"decode-0", "decode-1"}),
        model="m",
        clock=time.clock,
        sleep=time.sleep,
    )


async def test_a_reading_is_of_every_engine() -> None:
    assert await stage().read() == READINGS


async def test_an_engine_that_the_exporter_could_not_read_just_now_is_waited_for_not_taken_for_new() -> None:
    assert await stage(Exporter([ONE, ONE, BOTH])).read() == READINGS


async def test_an_engine_that_is_never_shown_ends_the_demo() -> None:
    with pytest.raises(DemoError, match=f"does not show decode-0, decode-1 within {SEEN_SECONDS:.0f} s"):
        await stage(Exporter([ONE])).read()


async def test_an_exporter_that_does_not_answer_ends_the_demo_with_its_address() -> None:
    with pytest.raises(DemoError, match="http://exporter cannot be read: HTTPStatusError"):
        await stage(lambda _: httpx.Response(503)).read()


async def test_a_request_is_waited_for_until_all_its_tokens_are_seen() -> None:
    grown = BOTH.replace("} 50", "} 60")
    after = await stage(Exporter([BOTH, ONE, grown])).read_after("decode-0", READINGS, 10)
    assert after.sources[Source.COMPUTED] == 60.0


async def test_tokens_that_never_show_end_the_demo() -> None:
    with pytest.raises(DemoError, match=f"did not see the request on decode-0 within {SEEN_SECONDS:.0f} s"):
        await stage().read_after("decode-0", READINGS, 1)


async def test_an_answer_of_an_unknown_engine_ends_the_demo() -> None:
    with pytest.raises(DemoError, match="decode-7 answered"):
        await stage().read_after("decode-7", READINGS, 1)


async def test_a_request_that_fails_ends_the_demo() -> None:
    with pytest.raises(DemoError, match="server_error"):
        await stage(lambda _: httpx.Response(502)).ask("Hello")


async def test_a_prompt_is_kept_once_both_tiers_hold_all_its_whole_chunks() -> None:
    control = Control(l1=[0, 1, 2], l2=[0, 0, 1, 1, 2])
    assert await stage(control=control).kept("prompt")


async def test_a_prompt_that_one_tier_does_not_take_in_is_not_kept() -> None:
    time = Time()
    assert not await stage(control=Control(l1=[2], l2=[1]), time=time).kept("prompt")
    assert time.now == pytest.approx(KEPT_SECONDS, abs=1)


def test_l1_holds_a_prompt_as_long_as_it_holds_its_beginning() -> None:
    assert stage(control=Control(l1=[1], l2=[2])).in_l1("prompt")
    assert not stage(control=Control(l1=[0], l2=[2])).in_l1("prompt")


async def test_a_cache_server_that_nobody_heard_of_ends_the_demo() -> None:
    silent = httpx.Response(200, content=msgspec.msgpack.encode(CacheUpdate(epoch=1, version=0)))
    with pytest.raises(DemoError, match="cache server 'lmcache' does not say what it holds"):
        await stage(control=lambda _: silent).kept("prompt")


async def test_more_tokens_than_before_are_not_yet_all_of_the_requests() -> None:
    some, grown = BOTH.replace("} 50", "} 55"), BOTH.replace("} 50", "} 60")
    after = await stage(Exporter([some, grown])).read_after("decode-0", READINGS, 10)
    assert after.sources[Source.COMPUTED] == 60.0


async def test_it_is_the_fullest_l1_that_counts_and_no_other_tier() -> None:
    used = "".join(
        f'kvdeck_cache_used_ratio{{tier="{tier}",replica="{name}"}} {ratio}\n'
        for tier, name, ratio in (("engine", "decode-0", 0.99), ("l1", "a", 0.5), ("l1", "b", 0.7))
    )
    await stage(Exporter([BOTH + used])).room_in_l1()
    with pytest.raises(DemoError, match="L1 stays"):
        await stage(Exporter([BOTH + used.replace("0.7", "0.9")])).room_in_l1()


async def test_a_relay_that_comes_in_parts_is_taken_whole() -> None:
    turns = chain([True], repeat(False))
    control = Control(l1=[0, 2], l2=[0, 2])

    def in_parts(request: httpx.Request) -> httpx.Response:
        update = msgspec.msgpack.decode(control(request).content, type=CacheUpdate)
        return httpx.Response(200, content=msgspec.msgpack.encode(msgspec.structs.replace(update, more=next(turns))))

    assert stage(control=in_parts).in_l1("prompt")


async def test_l1_has_room_once_it_has_evicted_or_where_it_does_not_tell() -> None:
    full, eased = (BOTH + f'kvdeck_cache_used_ratio{{tier="l1",replica="lmcache"}} {ratio}\n' for ratio in (0.93, 0.65))
    time = Time()
    await stage(Exporter([full, full, eased]), time=time).room_in_l1()
    assert time.now == 0.5
    await stage(time=time).room_in_l1()
    assert time.now == 0.5
    with pytest.raises(DemoError, match="L1 stays more than 80% full"):
        await stage(Exporter([full])).room_in_l1()
