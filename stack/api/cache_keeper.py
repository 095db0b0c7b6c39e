"""Keeps the cache servers as desired: the size of L1 by restarting them, quotas while they serve."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterator, Mapping

from stack.api.backoff import Failure, failed
from stack.api.board import Board
from stack.api.cache_board import CacheBoard
from stack.api.looking import Looking
from stack.api.noting import note
from stack.api.sight import Sight
from stack.control.audit import AuditRecord, Outcome
from stack.control.cache_effects import L1_BYTES, QUOTAS, quota_steps
from stack.control.mode import LIVE, Stance
from stack.control.ports import CacheHost, QuotaBackend, ScalerError, Store, TierError
from stack.control.tiers import CacheSeen, size

log = logging.getLogger(__name__)

DEADLINE_SECONDS = 3.0


class CacheKeeper(Looking):
    """One look at a time over all servers that report to `cache`. `host` restarts them, None where nobody can."""

    every_seconds = 2.0

    def __init__(
        self,
        *,
        board: Board,
        cache: CacheBoard,
        sight: Sight,
        quotas: QuotaBackend,
        host: CacheHost | None,
        store: Store,
        clock: Callable[[], float],
        wall: Callable[[], float],
        stance: Stance = LIVE,
    ) -> None:
        """`store` keeps the audit log; `clock` is monotonic, `wall` Unix seconds."""
        super().__init__()
        self._board, self._cache, self._sight, self._quotas, self._host = board, cache, sight, quotas, host
        self._store, self._clock, self._wall, self._stance = store, clock, wall, stance
        self._failures: dict[str, Failure] = {}
        self._asked: int | None = None

    async def tick(self) -> None:
        """One look, and what it calls for."""
        servers = dict(self._cache.addresses)
        seen = [await self._kept(server, url) for server, url in sorted(servers.items())]
        self._failures = {name: failure for name, failure in self._failures.items() if name in servers or name == L1_BYTES}
        if self._stance.acts:
            await self._resize(seen)
        self._sight.caches = tuple(seen)
        self._sight.cache_failures = dict(self._obstacles())

    async def _kept(self, server: str, url: str) -> CacheSeen:
        """A server after a look, and after its quotas were set where they were not as desired."""
        wanted = self._board.desired.tiers.l2.quotas
        before = self._failures.get(server)
        try:
            seen = await self._look(server, url, bool(wanted))
            steps = quota_steps(wanted, seen)
            if not steps:
                self._failures.pop(server, None)
            if not steps or not self._stance.acts or (before is not None and self._clock() < before.not_before):
                return seen
            await self._limit(url, steps)
            seen = await self._look(server, url, True)
        except (TierError, TimeoutError) as error:
            said = str(error) or f"does not answer within {DEADLINE_SECONDS:.0f} s"
            self._failures[server] = failed(before, said, self._clock())
            if before is None:  # the retries of the same failure would drown the log
                await self._note(Outcome.FAILED, QUOTAS, error=f"{server} {said}")
            return self._described(server, None, said)
        self._failures.pop(server, None)
        await self._note(Outcome.STEP, QUOTAS, f"{len(steps)} quotas set on {server}")
        return seen

    async def _look(self, server: str, url: str, asks: bool) -> CacheSeen:
        if not asks:
            return self._described(server, None, None)
        async with asyncio.timeout(DEADLINE_SECONDS):
            return self._described(server, dict(await self._quotas.quotas(url)), None)

    async def _limit(self, url: str, steps: Mapping[str, int | None]) -> None:
        for salt, most in steps.items():
            async with asyncio.timeout(DEADLINE_SECONDS):
                await self._quotas.limit(url, salt, most)

    def _described(self, server: str, quotas: dict[str, int] | None, error: str | None) -> CacheSeen:
        status = self._cache.statuses.get(server)
        if status is None:
            return CacheSeen(server=server, quotas=quotas, error=error)
        return CacheSeen(
            server=server, l1_bytes=status.l1_bytes, l1_used_bytes=status.l1_used_bytes,
            quotas=quotas, isolated=status.isolated, error=error,
        )  # fmt: skip

    async def _resize(self, seen: list[CacheSeen]) -> None:
        """Ask for another size once, and again after a failure: a server that is on its way up is not hurried."""
        wanted, before = self._board.desired.tiers.l1.bytes, self._failures.get(L1_BYTES)
        sizes = {one.l1_bytes for one in seen}
        if wanted is None or self._host is None or sizes == {wanted}:
            self._asked = None
            self._failures.pop(L1_BYTES, None)
            return
        waiting = before is not None and self._clock() < before.not_before
        if wanted == self._asked or waiting or not sizes - {None, wanted}:
            return
        try:
            await self._host.resize_l1(wanted)
        except ScalerError as error:
            self._failures[L1_BYTES] = failed(before, str(error), self._clock())
            if before is None:
                await self._note(Outcome.FAILED, L1_BYTES, error=str(error))
            return
        self._asked = wanted
        self._failures.pop(L1_BYTES, None)
        await self._note(Outcome.STEP, L1_BYTES, f"the cache server restarts with {size(wanted)} of L1")

    def _obstacles(self) -> Iterator[tuple[str, str]]:
        if L1_BYTES in self._failures:
            yield L1_BYTES, self._failures[L1_BYTES].message
        elif self._asked is not None:
            yield L1_BYTES, f"the cache server restarts with {size(self._asked)}"

    async def _note(self, outcome: Outcome, field: str, effect: str | None = None, error: str | None = None) -> None:
        log.log(logging.WARNING if error else logging.INFO, "cache step", extra={"field": field, "effect": effect, "error": error})
        record = AuditRecord(
            at=self._wall(), actor="control", outcome=outcome, generation=self._board.generation,
            effects=(effect,) if effect else (), error=error, field=field,
        )  # fmt: skip
        await note(self._store, record)
