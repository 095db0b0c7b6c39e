"""What the demo reads, and how it ends when there is nothing to read."""

from __future__ import annotations

import time
from collections.abc import Callable

import httpx
import pytest

from stack.api.client import ControlClient
from stack.demo.stage import DemoError, Stage
from stack.model.tier import Source
from stack.traffic.client import Client

EXPOSITION = """\
kvdeck_prompt_tokens_total{replica="decode-0",source="engine"} 100
kvdeck_prompt_tokens_total{replica="decode-0",source="computed"} 50
kvdeck_prompt_tokens_total{replica="decode-1",source="engine"} 7
kvdeck_kv_transfer_bytes_total{replica="decode-0",transport="nixl",direction="receive"} 4096
"""


def _stage(answer: Callable[[httpx.Request], httpx.Response], clock: Callable[[], float] = time.monotonic) -> Stage:
    http = httpx.AsyncClient(transport=httpx.MockTransport(answer))
    return Stage(Client(http, "http://router", "m", clock), http, "http://exporter", ControlClient("http://control"), "m", clock)


def _exposition(_: httpx.Request) -> httpx.Response:
    return httpx.Response(200, headers={"content-type": "text/plain"}, stream=httpx.ByteStream(EXPOSITION.encode()))


async def test_a_reading_is_of_one_engine() -> None:
    reading = await _stage(_exposition).read("decode-0")
    assert reading.sources == {**dict.fromkeys(Source, 0.0), Source.ENGINE: 100.0, Source.COMPUTED: 50.0}
    assert (reading.prompt_tokens, reading.transferred_bytes) == (150.0, 4096.0)


async def test_an_exporter_that_does_not_answer_ends_the_demo_with_its_address() -> None:
    with pytest.raises(DemoError, match="http://exporter cannot be read: HTTPStatusError"):
        await _stage(lambda _: httpx.Response(503)).read("decode-0")


async def test_tokens_that_never_show_end_the_demo() -> None:
    ticks = iter((0.0, 16.0))
    stage = _stage(_exposition, clock=lambda: next(ticks))
    with pytest.raises(DemoError, match="did not see the request on decode-0 within 15 s"):
        await stage.read_after("decode-0", await stage.read("decode-0"), 1)


async def test_a_request_that_fails_ends_the_demo() -> None:
    with pytest.raises(DemoError, match="server_error"):
        await _stage(lambda _: httpx.Response(502)).ask("Hello")
