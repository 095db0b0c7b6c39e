"""A router's process: made ready once, it serves until it is told to stop."""

from __future__ import annotations

import asyncio
import logging
import signal
import sys
from collections.abc import Callable

import uvloop

from stack.adapters import logs
from stack.adapters.garbage import settle
from stack.wiring.router import Router
from stack.wiring.router_options import RouterOptions

log = logging.getLogger(__name__)


def prepare() -> None:
    """Logs, threads and garbage, for all of the process."""
    logs.configure()
    # A thread that renders a long chat yields to the loop after a millisecond, not after Python's five.
    sys.setswitchinterval(0.001)
    settle()


def run(options: RouterOptions) -> None:
    """Serve until SIGTERM or SIGINT, then drain."""
    prepare()
    uvloop.run(serve(options, asyncio.Event()))


async def serve(options: RouterOptions, told: asyncio.Event, serving: Callable[[], object] = lambda: None) -> None:
    """Serve until `told` or signalled, then drain; calls `serving` once requests are taken. Raises OSError, UnknownNameError."""
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, told.set)
    router = Router(options)
    await router.start()
    host, port = router.server.address
    log.info("router serves", extra={"host": host, "port": port, "router": options.router_id})
    serving()
    await told.wait()
    log.info("router drains", extra={"in_flight": router.in_flight.total})
    log.info("router stopped", extra={"all_finished": await router.stop()})
