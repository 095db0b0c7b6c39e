"""Asks an engine's /health with as little work as possible: hundreds of engines are asked every second."""

from __future__ import annotations

import asyncio
from enum import StrEnum
from urllib.parse import urlsplit


class Pulse(StrEnum):
    """How an engine answered. REFUSED means that no process listens: what it held in memory is gone."""

    WELL = "well"
    UNWELL = "unwell"
    REFUSED = "refused"
    SILENT = "silent"


async def pulse(url: str, deadline_seconds: float) -> Pulse:
    """One `GET /health` on the engine at `url`; the deadline covers all of it. Never raises."""
    parts = urlsplit(url)
    host, port = parts.hostname or "127.0.0.1", parts.port or 80
    try:
        async with asyncio.timeout(deadline_seconds):
            return await _ask(host, port)
    except ConnectionRefusedError:
        return Pulse.REFUSED
    except TimeoutError:
        return Pulse.SILENT
    except (OSError, ValueError, asyncio.LimitOverrunError):  # unreachable, reset, or not HTTP
        return Pulse.UNWELL


async def _ask(host: str, port: int) -> Pulse:
    reader, writer = await asyncio.open_connection(host, port)
    try:
        writer.write(f"GET /health HTTP/1.1\r\nHost: {host}:{port}\r\nConnection: close\r\n\r\n".encode())
        status_line = await reader.readline()
        return Pulse.WELL if status_line.split(b" ", 2)[1:2] == [b"200"] else Pulse.UNWELL
    finally:
        writer.transport.abort()  # nothing more is wanted, and a close that lingers would add up
