"""The process of the canned engines: `python -m stack.wiring.bench_fleet PORT BYTES`."""

from __future__ import annotations

import asyncio
import sys

import uvloop

from stack.bench.exporter.canned import CannedTargets, exposition


async def _serve(port: int, least_bytes: int) -> None:
    document = exposition(least_bytes)
    await asyncio.get_running_loop().create_server(lambda: CannedTargets(document), "127.0.0.1", port)
    await asyncio.Event().wait()


if __name__ == "__main__":
    uvloop.run(_serve(int(sys.argv[1]), int(sys.argv[2])))
