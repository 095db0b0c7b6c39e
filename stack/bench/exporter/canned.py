"""Engines that answer every scrape with one exposition, and LMCache servers whose clients named models; all behind one port."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from itertools import count
from typing import cast

from stack.emulator.profiles import PROFILES
from stack.emulator.telemetry import Telemetry
from stack.engines import lmcache_quantities as lq

_VERSION = b'{"version":"0.32.0"}'
_MODELS = re.compile(rb"GET /models/(\d+)/(\d+)/metrics ")
_FAMILY = re.compile(r"^(?=# HELP )", re.MULTILINE)
_TEXT, _JSON = b"text/plain; version=0.0.4", b"application/json"


def exposition(least_bytes: int) -> bytes:
    """An emulated vLLM 0.32's page of `least_bytes` and at most one family more.

    It is of as many data-parallel ranks as that takes; the last tells only some of its families.
    """
    families = _ranks(Telemetry("bench", next(iter(PROFILES.values()))))
    page = ""
    while len(page) < least_bytes:
        page += next(families)
    return page.encode()


def _ranks(telemetry: Telemetry) -> Iterator[str]:
    """The families of one rank after the other, without end."""
    families = _FAMILY.split("\n".join(telemetry.sheet.render()) + "\n")
    for number in count():
        yield from (family.replace('engine="0"', f'engine="{number}"') for family in families)


def named_models(server: int, models: int) -> bytes:
    """An LMCache server's page after clients asked it for so many models, which no other server was asked for."""
    asked, found = (quantity.aliases[0].name for quantity in (lq.LOOKED_UP, lq.FOUND_L1))
    return "".join(
        f'{name}{{model_name="client-{server}-{number}"}} {tokens}\n'
        for number in range(models)
        for name, tokens in ((asked, 512), (found, 256))
    ).encode()


class CannedTargets(asyncio.Protocol):
    """Answers /version, `/models/SERVER/COUNT/metrics` and, to all else, `document`; then closes, as a scraped server may."""

    def __init__(self, document: bytes) -> None:
        self._document = document
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)  # uvloop's is one, and no subclass

    def data_received(self, data: bytes) -> None:
        kind, body = self._answer(data)
        head = b"HTTP/1.1 200 OK\r\ncontent-type: %b\r\ncontent-length: %d\r\nconnection: close\r\n\r\n" % (kind, len(body))
        if self._transport is not None:
            self._transport.write(head + body)
            self._transport.close()

    def _answer(self, request: bytes) -> tuple[bytes, bytes]:
        if request.startswith(b"GET /version"):
            return _JSON, _VERSION
        models = _MODELS.match(request)
        return _TEXT, self._document if models is None else named_models(int(models[1]), int(models[2]))
