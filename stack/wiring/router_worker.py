"""One worker process of a router: told what to do over its standard input, whose end says that nobody leads it any more."""

from __future__ import annotations

import asyncio
import os
import pickle
import shutil
import sys

import uvloop

from stack.registry import UnknownNameError
from stack.wiring.router_options import SERVING, RouterOptions
from stack.wiring.router_process import prepare, serve


def main() -> None:
    """Serve until SIGTERM, or until the leader is gone; then drain."""
    options: RouterOptions = pickle.load(sys.stdin.buffer)  # the leader's own, over a pipe that only it holds
    prepare()
    try:
        if uvloop.run(_serve(options)) and options.seat is not None:
            shutil.rmtree(options.seat.folder, ignore_errors=True)  # nobody else is left to do it
    except (OSError, UnknownNameError) as error:
        sys.exit(f"kvdeck: {options.router_id}: {error}")


async def _serve(options: RouterOptions) -> bool:
    """Whether the leader went away."""
    told, abandoned = asyncio.Event(), False

    def look() -> None:
        nonlocal abandoned
        if not os.read(sys.stdin.fileno(), 1):
            asyncio.get_running_loop().remove_reader(sys.stdin.fileno())
            abandoned = True
            told.set()

    asyncio.get_running_loop().add_reader(sys.stdin.fileno(), look)
    await serve(options, told, lambda: os.write(sys.stdout.fileno(), SERVING))
    return abandoned


if __name__ == "__main__":
    main()
