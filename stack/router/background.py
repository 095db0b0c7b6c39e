"""Work beside the requests, each piece kept going: a fault in one of them must not end the data plane."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable

log = logging.getLogger(__name__)

PAUSE_S = 1.0  # after a fault, so that one that comes back at once does not fill the log


async def keep_going(
    site: str, work: Callable[[], Awaitable[None]], on_failure: Callable[[str], None], pause_s: float = PAUSE_S
) -> None:
    """Run `work` for ever, anew after each fault, which is logged and reported under `site`."""
    while True:
        try:
            await work()
        except Exception:  # whatever it is: requests go on with the state they have
            log.exception("background work failed", extra={"site": site})
            on_failure(site)
        await asyncio.sleep(pause_s)
