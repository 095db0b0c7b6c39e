"""The exporter's pages."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Awaitable, Callable, Iterable
from html import escape

import httpx
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response

from exporters.allowed import RefusedError
from exporters.checked_transport import CheckedTransport
from exporters.probe import BusyError, ProbeError, Probes, question
from exporters.render import render

_ON_THE_WAY_SECONDS = 0.5

Page = Callable[[Request], Awaitable[Response]]


def metrics(document: Callable[[float], Awaitable[bytes]]) -> Page:
    """The metrics' page; `document` is told how long its reader waits."""

    async def page(request: Request) -> Response:
        return Response(await document(patience(request)), media_type=CONTENT_TYPE_PLAIN_0_0_4)

    return page


def probing(probes: Probes, network: CheckedTransport, modules: frozenset[str], timeout_seconds: float) -> Page:
    """The page /probe, for `modules`. A target that may not be read is refused; of one that cannot be, the page says so."""

    async def page(request: Request) -> Response:
        try:
            asked = question(request.query_params, modules)
            async with asyncio.timeout(timeout_seconds):
                await network.address(httpx.URL(asked.url))
        except ProbeError as error:
            return PlainTextResponse(f"{error}\n", 400)
        except RefusedError as error:
            return PlainTextResponse(f"{error}\n", 403)
        except OSError:  # a name that means nothing now, or not soon enough: its target cannot be read, and its page will say so
            pass
        try:
            found = await probes.answer(asked, patience(request))
        except BusyError as error:
            return PlainTextResponse(f"{error}\n", 503)
        return Response(render(found), media_type=CONTENT_TYPE_PLAIN_0_0_4)

    return page


def patience(request: Request) -> float:
    """For how many seconds Prometheus waits for the page, less what its way takes: what hangs must not cost the whole page."""
    try:
        told = float(request.headers.get("x-prometheus-scrape-timeout-seconds", "inf"))
    except ValueError:
        return math.inf
    return max(told - _ON_THE_WAY_SECONDS, _ON_THE_WAY_SECONDS) if told > 0 else math.inf


def landing(paths: Iterable[str], version: str) -> Page:
    """The page /: what there is to see, and no more: who may not read the metrics must learn nothing of the targets."""
    links = "".join(f'<li><a href="{escape(path)}">{escape(path)}</a></li>' for path in paths)
    body = f"<!doctype html><title>kvdeck exporter</title><h1>kvdeck exporter {escape(version)}</h1><ul>{links}</ul>\n"

    async def page(request: Request) -> Response:
        return HTMLResponse(body)

    return page


async def healthz(request: Request) -> Response:
    """The process answers."""
    return PlainTextResponse("ok\n")
