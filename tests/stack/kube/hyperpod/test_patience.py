"""An API server that does not answer keeps nobody waiting for a change."""

from __future__ import annotations

import asyncio

import httpx
from msgspec.structs import replace

from stack.api.calling import TIMEOUT_SECONDS
from stack.control.state import Desired, ModelState
from stack.kube.access import Access
from stack.kube.hyperpod.endpoint_map import Endpoint
from stack.kube.hyperpod.routing import TRY_SECONDS, EndpointRouting
from tests.stack.api.deck import Clock


class Silent(httpx.AsyncBaseTransport):
    """Takes every request, and answers none."""

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        await asyncio.Event().wait()
        raise AssertionError("never")


async def test_a_change_is_not_tried_for_longer_than_its_client_waits() -> None:
    access = Access("http://kube", "team", True, lambda: None)
    routing = EndpointRouting(access, [Endpoint("llama", "team", "llama")], Clock(), Silent(), try_seconds=0.01)
    before, after = (Desired(models={"llama": replace(ModelState(), strategy=name)}) for name in ("session", "kv_aware"))
    (effect,) = await routing.check(before, after)
    assert effect.caution == "unverified against the operator, and not tried: TimeoutError"
    assert TRY_SECONDS < TIMEOUT_SECONDS
