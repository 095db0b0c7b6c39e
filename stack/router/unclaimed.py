"""KV that a prefill engine keeps for a request that no decode engine took: fetched for nobody, so that it is given up."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from enum import StrEnum

from stack.engines.pd.base import Handover
from stack.router.errand import Errand
from stack.router.openai import encode
from stack.router.reply import Reply
from stack.router.settings import RouterSettings
from stack.router.upstream import Upstream
from stack.router.upstream_errors import UpstreamError

log = logging.getLogger(__name__)

ANSWER_BYTES_MAX = 1 << 20


class Unclaimed(StrEnum):
    """Why nobody came for it; a closed set, for it becomes a metric label."""

    CLIENT_LEFT = "client_left"  # between the legs, with nothing sent to the decode engine
    DECODE_REFUSED = "decode_refused"  # it refused the client's request before it looked at the params


class Collection:
    """Collects beside the requests, each hand-over at most once. `counted` is told of the model, why, and whether it worked.

    Nobody else comes for such KV, and the prefill engine would keep its blocks for a whole lease: a few such requests would
    fill it. What a decode engine may have begun to read is not for here: params that are used twice can give its cache
    somebody else's KV.
    """

    def __init__(self, upstream: Upstream, settings: RouterSettings, counted: Callable[[str, Unclaimed, bool], None]) -> None:
        self._upstream = upstream
        self._settings = settings
        self._counted = counted
        self._tasks: set[asyncio.Task[None]] = set()

    def begin(self, errand: Errand, engine: str, handover: Handover, why: Unclaimed) -> None:
        """Have decode engine `engine` fetch it, soon, within the time in which a hand-over is used at all."""
        body = encode(errand.served.link.speaker.collect_body(errand.parsed.fields, handover))
        settings = self._settings
        request = self._upstream.request(
            errand.url(engine), "POST", errand.parsed.path, errand.outbound, body,
            connect_timeout_s=settings.connect_s, timeout_s=settings.handover_limit_s, retry_stale=False,
        )  # fmt: skip
        collecting = self._collect(request, errand.route.model, engine, why)  # the errand lets go of its body when it is over
        task = asyncio.create_task(collecting, name=f"collect from {errand.prefill_engine}")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def close(self) -> None:
        """Give up what is under way: the leases' ends free the blocks, too."""
        tasks = tuple(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _collect(self, request: AbstractAsyncContextManager[Reply], model: str, engine: str, why: Unclaimed) -> None:
        try:
            async with request as reply:
                await reply.read(ANSWER_BYTES_MAX)
        except UpstreamError as error:
            log.info("KV not collected", extra={"engine": engine, "why": why.value, "error": type(error).__name__})
            self._counted(model, why, False)
            return
        self._counted(model, why, reply.status == 200)
