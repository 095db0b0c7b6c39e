"""Small measurements: what is measured is there, and it is the right thing."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
import zmq
import zmq.asyncio

from stack.bench.index.churn import Churn
from stack.bench.index.still import Fill, bytes_per_block, lookup_seconds
from stack.bench.index.stream import EventsLostError, burst

CHURN = Churn(steps=8, blocks_per_step=4, capacity=8)


@pytest.mark.parametrize("seen", [False, True])
def test_each_look_up_takes_some_time(seen: bool) -> None:
    taken = lookup_seconds(blocks=8, engines=3, rounds=4, seen=seen)
    assert (len(taken), min(taken) > 0.0) == (4, True)


def test_a_block_takes_more_than_its_entries_and_less_than_everything() -> None:
    taken = bytes_per_block(Fill(engines=2, blocks_each=640, samples=5))
    assert len(taken) == 4
    assert all(100.0 < per_block < 1000.0 for per_block in taken)


async def _engine(socket: zmq.asyncio.Socket, *, without: int | None = None) -> None:
    await socket.recv()  # somebody subscribed
    for sequence, payload in enumerate(CHURN.payloads(0)):
        if sequence != without:
            await socket.send_multipart([b"", sequence.to_bytes(8, "big"), payload])


async def _measured(folder: Path, without: int | None = None) -> int:
    context = zmq.asyncio.Context()
    socket = context.socket(zmq.XPUB)
    socket.bind(f"ipc://{folder}/e")
    engine = asyncio.create_task(_engine(socket, without=without))
    try:
        return (await burst(f"ipc://{folder}/e", CHURN, deadline_s=10.0)).updates
    finally:
        await engine
        context.destroy(linger=0)


async def test_a_burst_is_measured_from_its_first_removed_block_to_its_last(tmp_path_factory: pytest.TempPathFactory) -> None:
    assert await _measured(tmp_path_factory.mktemp("kv")) == 2 * (CHURN.removed - 4)


async def test_lost_events_are_no_figure(tmp_path_factory: pytest.TempPathFactory) -> None:
    with pytest.raises(EventsLostError):
        await _measured(tmp_path_factory.mktemp("kv"), without=5)
