import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest
import zmq
import zmq.asyncio

from stack.adapters.kv_replay import replay
from stack.emulator.fleet import Fleet
from stack.emulator.identity import EngineSpec
from stack.engines.vllm_events import Reader
from stack.model.kv_event import Stored
from stack.model.tier import Pool, Tier

PROMPT = "one sentence of a longer document " * 60


@pytest.fixture
async def context() -> AsyncIterator[zmq.asyncio.Context]:
    context = zmq.asyncio.Context()
    yield context
    context.destroy(linger=0)


async def test_blocks_are_published_under_the_replicas_topic_and_replayed(
    fleet: Fleet, http: httpx.AsyncClient, sockets: Path, context: zmq.asyncio.Context
) -> None:
    events, again = f"ipc://{sockets}/e", f"ipc://{sockets}/r"
    spec = EngineSpec(pool=Pool.DECODE, port=0, model="m", model_root="/nowhere", kv_events=events, replay=again)
    engine = await fleet.start("decode-0", spec)
    async with asyncio.timeout(60):
        with context.socket(zmq.SUB) as listener:
            listener.subscribe(b"kv@decode-0")
            listener.connect(events)
            for attempt in range(100):  # the subscription needs a moment to arrive
                await http.post(f"{engine.url}/v1/completions", json={"prompt": f"{attempt} {PROMPT}", "max_tokens": 1})
                if await listener.poll(20):
                    break
            topic, sequence, payload = await listener.recv_multipart()
        replayed = [batch async for batch in replay(context, again, 0, silence_s=5.0)]
    assert topic == b"kv@decode-0"
    assert (int.from_bytes(sequence, "big"), payload) in replayed
    assert [number for number, _ in replayed] == list(range(len(replayed)))
    first = Reader().read(replayed[0][1]).events
    own = [event for event in first if isinstance(event, Stored) and event.tier is Tier.ENGINE]
    assert [(len(event.blocks), len(event.tokens), event.block_tokens) for event in own] == [(7, 448, 64)]
    assert sum(isinstance(event, Stored) and event.tier is Tier.L2 for event in first) == 7


async def test_an_engine_names_its_event_sources(fleet: Fleet, http: httpx.AsyncClient, sockets: Path) -> None:
    spec = EngineSpec(pool=Pool.DECODE, port=0, model="m", model_root="/nowhere", kv_events=f"ipc://{sockets}/e")
    engine = await fleet.start("decode-0", spec)
    sources = (await http.get(f"{engine.url}/kv_event_sources")).json()
    assert sources["0"]["endpoint"] == f"ipc://{sockets}/e"
    assert sources["0"]["topic"] == "kv@decode-0"
    silent = await fleet.start("decode-1", EngineSpec(pool=Pool.DECODE, port=0, model="m", model_root="/nowhere"))
    assert (await http.get(f"{silent.url}/kv_event_sources")).json() == {}
