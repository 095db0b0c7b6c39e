"""Follows whether a running component serves, from its start on."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from stack.adapters.supervisor_link import ComponentState
from stack.local.spec import NotReadyError, Probe

STARTING_LOOK_SECONDS = 0.25
READY_LOOK_SECONDS = 5.0
# Looks in a row that a ready component may fail to answer: engines on a busy core stall for seconds.
MISSES = 3

Show = Callable[[ComponentState, str], None]


async def follow(probe: Probe, *, within: float, clock: Callable[[], float], show: Show, on_ready: Callable[[], None]) -> str:
    """Shows what it sees, for ever; returns how it failed when the component does not serve `within` seconds.

    A component that stops answering later is shown as failed and left alone: it may be busy, and killing it helps nobody.
    """
    began = clock()
    while (fault := await _fault(probe.ready)) is not None:
        if clock() - began > within:
            return f"not ready after {within:.0f} s: {fault}"
        show(ComponentState.STARTING, fault)
        await asyncio.sleep(STARTING_LOOK_SECONDS)
    on_ready()
    show(ComponentState.READY, "")
    misses = 0
    while True:
        await asyncio.sleep(READY_LOOK_SECONDS)
        fault = await _fault(probe.alive)
        misses = 0 if fault is None else misses + 1
        if fault is None:
            show(ComponentState.READY, "")
        elif misses >= MISSES:
            show(ComponentState.FAILED, f"runs, but does not answer: {fault}")


async def _fault(ask: Callable[[], Awaitable[None]]) -> str | None:
    try:
        await ask()
    except NotReadyError as error:
        return str(error)
    return None
