"""What control tells while it is changed and killed: decision records as they come, and the audit log, each line once."""

from __future__ import annotations

import asyncio
from collections import Counter

import httpx
import msgspec

from stack.api.client import ControlClient
from stack.bench.changes.changer import patiently
from stack.bench.changes.consistency import Told
from stack.control.audit import AuditRecord
from stack.control.decision import DecisionRecord

PAGE = 1000  # as many lines as control gives at once
_RETRY_S = 0.1
_QUIET_S = 20.0  # control says something every 15 s


class Decisions:
    """Follows every decision since `since` (Unix seconds), through each of control's lives. `told` counts what they tell."""

    def __init__(self, http: httpx.AsyncClient, url: str, since: float) -> None:
        self._http, self._url, self._since = http, url, since
        self._seen: set[str] = set()
        self._grown = asyncio.Event()
        self.told: Counter[Told] = Counter()

    @property
    def count(self) -> int:
        return len(self._seen)

    async def run(self) -> None:
        """Until cancelled."""
        while True:
            try:
                await self._follow()
            except httpx.HTTPError:
                await asyncio.sleep(_RETRY_S)

    async def until(self, count: int) -> None:
        """Until so many have come."""
        while self.count < count:
            self._grown.clear()
            await self._grown.wait()

    async def _follow(self) -> None:
        timeout = httpx.Timeout(5.0, read=_QUIET_S)
        asked = {"since": f"{self._since:.3f}", "observed": "false"}
        async with self._http.stream("GET", f"{self._url}/v1/decisions/stream", params=asked, timeout=timeout) as answer:
            async for line in answer.aiter_lines():
                if line.startswith('data: {"request_id"'):
                    self._take(msgspec.json.decode(line.removeprefix("data: "), type=DecisionRecord))

    def _take(self, record: DecisionRecord) -> None:
        if record.request_id not in self._seen:
            self._seen.add(record.request_id)
            self.told[Told.of(record)] += 1
            self._grown.set()


class AuditBook:
    """The audit log after line `after`, page by page. `missed` counts lines that no page showed."""

    def __init__(self, control: ControlClient) -> None:
        self._control = control
        self._newest: int | None = None
        self.records: dict[int, AuditRecord] = {}
        self.missed = 0

    async def read(self) -> None:
        """Take the newest page. The first one only tells where the log stood."""
        page = (await patiently(lambda: self._control.audit(limit=1 if self._newest is None else PAGE))).records
        lines = {record.sequence or 0: record for record in page}
        if self._newest is not None:
            fresh = {number: record for number, record in lines.items() if number > self._newest}
            self.missed += max(fresh, default=self._newest) - self._newest - len(fresh)
            self.records |= fresh
        self._newest = max(lines, default=self._newest or 0)
