"""Brings an emulated cache server's reports to where LMCache's servers bring theirs."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

import httpx
import msgspec

from stack.emulator.cache_reports import CacheReports

log = logging.getLogger(__name__)

FLUSH_SECONDS = 0.5
BEAT_FLUSHES = 4  # heartbeats are two seconds apart
DEADLINE_SECONDS = 2.0


class CacheReporter:
    """Registers, reports and says that it is there, as long as somebody listens at `url`. Reports that nobody took are lost."""

    def __init__(
        self, client: httpx.AsyncClient, url: str, address: tuple[str, int], reports: Callable[[], CacheReports | None]
    ) -> None:
        self._client = client
        self._url = url
        self._address = address
        self._reports = reports
        self._registered = False
        self._flushes = 0

    async def run(self) -> None:
        """Report until cancelled."""
        while True:
            await asyncio.sleep(FLUSH_SECONDS)
            reports = self._reports()
            if reports is None:
                continue
            try:
                async with asyncio.timeout(DEADLINE_SECONDS):
                    await self.flush(reports)
            except (httpx.HTTPError, TimeoutError) as error:
                self._registered = False
                log.info("cache reports not taken", extra={"error": type(error).__name__})

    async def flush(self, reports: CacheReports) -> None:
        """Whatever is due now. Raises httpx.HTTPError."""
        if not self._registered:
            host, port = self._address
            await self._send("POST", "/instances", {"instance_id": reports.server, "ip": host, "http_port": port})
            self._registered = True
        if batches := reports.take():
            await self._send("POST", "/events", {"batches": batches})
        self._flushes += 1
        if self._flushes % BEAT_FLUSHES == 0:
            await self._send("PUT", f"/instances/{reports.server}/heartbeat", None)

    async def _send(self, method: str, path: str, document: object) -> None:
        content = None if document is None else msgspec.json.encode(document)
        (await self._client.request(method, self._url + path, content=content, timeout=DEADLINE_SECONDS)).raise_for_status()
