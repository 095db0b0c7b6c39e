"""Engines that answer every scrape with one exposition, all of them behind one port."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import cast

from stack.emulator.profiles import PROFILES
from stack.emulator.telemetry import Telemetry

_VERSION = b'{"version":"0.32.0"}'
_TEXT, _JSON = b"text/plain; version=0.0.4", b"application/json"


def exposition(least_bytes: int) -> bytes:
    """An emulated vLLM 0.32's page, of as many data-parallel ranks as it takes to have `least_bytes`."""
    telemetry = Telemetry("bench", next(iter(PROFILES.values())))
    rank = "\n".join(telemetry.sheet.render()) + "\n"
    ranks = -(-least_bytes // len(rank))
    return "".join(_ranks(rank, ranks)).encode()


def _ranks(rank: str, ranks: int) -> Iterator[str]:
    for number in range(ranks):
        yield rank.replace('engine="0"', f'engine="{number}"')


class CannedEngine(asyncio.Protocol):
    """Answers /version and, to all else, `document`; then closes, as a scraped server may."""

    def __init__(self, document: bytes) -> None:
        self._document = document
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)  # uvloop's is one, and no subclass

    def data_received(self, data: bytes) -> None:
        kind, body = (_JSON, _VERSION) if data.startswith(b"GET /version") else (_TEXT, self._document)
        head = b"HTTP/1.1 200 OK\r\ncontent-type: %b\r\ncontent-length: %d\r\nconnection: close\r\n\r\n" % (kind, len(body))
        if self._transport is not None:
            self._transport.write(head + body)
            self._transport.close()
