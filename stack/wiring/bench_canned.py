"""The process of the canned streaming engine and the canned control: `python -m stack.wiring.bench_canned RATE PORT...`."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Sequence

import uvloop

from stack.bench.router.canned import CannedServer


async def _serve(tokens_per_second: float, ports: Sequence[int]) -> None:
    loop = asyncio.get_running_loop()
    for port in ports:
        await loop.create_server(lambda: CannedServer(1 / tokens_per_second), "127.0.0.1", port)
    await asyncio.Event().wait()


if __name__ == "__main__":
    uvloop.run(_serve(float(sys.argv[1]), [int(port) for port in sys.argv[2:]]))
