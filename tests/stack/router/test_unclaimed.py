"""KV that nobody came for is fetched beside the requests, also when its own is over by then."""

from __future__ import annotations

import asyncio

import pytest
from msgspec.structs import replace

from stack.engines.answer_facts import NO_FACTS
from stack.engines.pd.base import Handover
from stack.fleet.snapshot import Fleet, Member
from stack.router.settings import RouterSettings
from stack.router.unclaimed import Collection, Unclaimed
from stack.router.upstream import Upstream
from tests.stack.router.errands import engine as _engine
from tests.stack.router.errands import errand
from tests.stack.router.fakes import Behaviour, Exchange, FakeEngine


async def test_a_hand_over_is_collected_though_its_request_is_over_before_that_begins() -> None:
    decode = FakeEngine("decode-0")
    await decode.start()
    counted: list[tuple[str, Unclaimed, bool]] = []
    upstream, told = Upstream(), asyncio.Event()

    def count(model: str, why: Unclaimed, worked: bool) -> None:
        counted.append((model, why, worked))
        told.set()

    collection = Collection(upstream, RouterSettings(), count)
    at = replace(_engine("decode-0"), target=decode.target)
    one = errand(fleet=Fleet.of([Member(at)]))
    handover = Handover({"do_remote_prefill": True, "remote_block_ids": [1]}, None, NO_FACTS)
    collection.begin(one, "decode-0", handover, Unclaimed.CLIENT_LEFT)
    one.let_go()
    async with asyncio.timeout(5):
        await told.wait()
    await collection.close()
    await upstream.close()
    await decode.stop()
    assert counted == [("m", Unclaimed.CLIENT_LEFT, True)]
    assert [seen.body["kv_transfer_params"]["do_remote_prefill"] for seen in decode.seen] == [True]


async def _refuses(engine: FakeEngine, exchange: Exchange) -> None:
    await exchange.json(400, {"error": {"message": "no"}})


async def _dies(engine: FakeEngine, exchange: Exchange) -> None:
    exchange.die()


@pytest.mark.parametrize("behave", [_refuses, _dies])
async def test_what_a_decode_engine_did_not_fetch_is_counted_as_such(behave: Behaviour) -> None:
    decode = FakeEngine("decode-0", behave=behave)
    await decode.start()
    counted: asyncio.Queue[bool] = asyncio.Queue()
    upstream = Upstream()
    collection = Collection(upstream, RouterSettings(), lambda model, why, worked: counted.put_nowait(worked))
    one = errand(fleet=Fleet.of([Member(replace(_engine("decode-0"), target=decode.target))]))
    collection.begin(one, "decode-0", Handover({"do_remote_prefill": True}, None, NO_FACTS), Unclaimed.DECODE_REFUSED)
    async with asyncio.timeout(5):
        assert not await counted.get()
    await collection.close()
    await upstream.close()
    await decode.stop()
