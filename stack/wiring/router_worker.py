"""One worker process of a router: told what to do over its standard input, whose end says that nobody leads it any more."""

from __future__ import annotations

import asyncio
import os
import pickle
import sys

import uvloop

from stack.registry import UnknownNameError
from stack.wiring.router import prepare, serve
from stack.wiring.router_options import SERVING, RouterOptions


def main() -> None:
    """Serve until SIGTERM, or until the leader is gone; then drain."""
    options: RouterOptions = pickle.load(sys.stdin.buffer)  # the leader's own, over a pipe that only it holds
    prepare()
    try:
        uvloop.run(_serve(options))
    except (OSError, UnknownNameError) as error:
        sys.exit(f"kvdeck: {options.router_id}: {error}")


async def _serve(options: RouterOptions) -> None:
    told = asyncio.Event()
    asyncio.get_running_loop().add_reader(sys.stdin.fileno(), lambda: _until_closed(told))
    await serve(options, told, lambda: os.write(sys.stdout.fileno(), SERVING))


def _until_closed(told: asyncio.Event) -> None:
    if not os.read(sys.stdin.fileno(), 1):
        asyncio.get_running_loop().remove_reader(sys.stdin.fileno())
        told.set()


if __name__ == "__main__":
    main()
