"""KV that nobody came for is fetched beside the requests, also when its own is over by then."""

from __future__ import annotations

import asyncio

from msgspec.structs import replace

from stack.engines.answer_facts import NO_FACTS
from stack.engines.pd.base import Handover
from stack.fleet.snapshot import Fleet, Member
from stack.router.settings import RouterSettings
from stack.router.unclaimed import Collection, Unclaimed
from stack.router.upstream import Upstream
from tests.stack.router.errands import engine as _engine
from tests.stack.router.errands import errand
from tests.stack.router.fakes import FakeEngine


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
