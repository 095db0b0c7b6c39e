"""Cache servers are kept as desired, over servers that do as the test says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from stack.api.cache_board import CacheBoard
from stack.control.cache_directory import CacheDirectory
from stack.control.cache_effects import L1_BYTES, QUOTAS
from stack.control.machinery import Machinery
from stack.control.ports import ScalerError, TierError
from stack.engines.lmcache_events import Registration
from stack.engines.lmcache_status import ServerStatus
from tests.stack.api.deck import Clock, Deck, deck, running

GIB, MIB = 1 << 30, 1 << 20


@dataclass
class Server:
    """One cache server with its quotas, and what restarts it. `away` makes quotas fail, `broken` restarts."""

    held: dict[str, int] = field(default_factory=dict)
    away: str | None = None
    broken: str | None = None
    resized: list[int] = field(default_factory=list)

    async def quotas(self, url: str) -> Mapping[str, int]:
        assert url == "http://127.0.0.1:8280"
        if self.away is not None:
            raise TierError(self.away)
        return self.held

    async def limit(self, url: str, salt: str, most: int | None) -> None:
        if most is None:
            del self.held[salt]
        else:
            self.held[salt] = most

    async def resize_l1(self, amount: int) -> None:
        self.resized.append(amount)
        if self.broken is not None:
            raise ScalerError(self.broken)


def _described(cache: CacheBoard, l1_bytes: int = 512 * MIB, isolated: bool = True) -> None:
    cache.register(Registration(instance_id="lmcache", ip="127.0.0.1", http_port=8280))
    cache.describe("lmcache", ServerStatus(256, "blake3", 3, 0, l1_bytes, 180 * MIB, isolated))


def _cache() -> CacheBoard:
    cache = CacheBoard(CacheDirectory(1, has_store=True), Clock())
    _described(cache)
    return cache


async def _look(it: Deck, seconds: float = 2.0) -> dict[str, str]:
    it.clock.advance(seconds)
    assert it.control.caches is not None
    await it.control.caches.tick()
    return {entry["field"]: entry["reason"] for entry in (await it.state())["drift"] if entry["field"].startswith("tiers")}


async def _set(it: Deck, tiers: dict[str, object]) -> int:
    return (await it.patch({"tiers": tiers})).status_code


async def test_quotas_are_set_while_it_serves_and_read_back(tmp_path: Path) -> None:
    server = Server({"old": 1})
    async with deck(tmp_path, cache=_cache(), quotas=server, host=server) as it:
        assert await _look(it) == {}
        assert server.held == {"old": 1}  # nobody wants any, so those it has are its own
        assert await _set(it, {"l2": {"quotas": {"acme": GIB}}}) == 200
        assert await _look(it) == {}
        assert server.held == {"acme": GIB}
        (seen,) = (await it.state())["applied"]["caches"]
        assert (seen["quotas"], seen["l1_bytes"], seen["isolated"]) == ({"acme": GIB}, 512 * MIB, True)
        assert await it.outcomes() == ["started", "applied", "step"]


async def test_a_server_that_is_away_or_began_anew_gets_its_quotas_later(tmp_path: Path) -> None:
    server = Server()
    async with deck(tmp_path, cache=_cache(), quotas=server, host=server) as it:
        await _look(it)
        await _set(it, {"l2": {"quotas": {"acme": GIB}}})
        server.away = "does not tell its quotas: ConnectError"
        assert await _look(it) == {QUOTAS: "lmcache does not tell its quotas: ConnectError"}
        server.away = None
        assert await _look(it) == {}
        server.held.clear()
        assert await _look(it) == {}
        assert server.held == {"acme": GIB}


async def test_a_quota_that_would_be_vain_is_refused(tmp_path: Path) -> None:
    cache, server = _cache(), Server()
    _described(cache, isolated=False)
    async with deck(tmp_path, cache=cache, quotas=server, host=server) as it:
        await _look(it)
        assert await _set(it, {"l2": {"quotas": {"acme": GIB}}}) == 422


async def test_l1_is_resized_by_one_restart(tmp_path: Path) -> None:
    cache, server, fleet = _cache(), Server(), running("prefill-0", "decode-0", "decode-1")
    fleet.says = Machinery(resizes_l1=True)
    async with deck(tmp_path, fleet, cache=cache, quotas=server, host=server) as it:
        await _look(it)
        assert await _set(it, {"l1": {"bytes": GIB}}) == 200
        assert await _look(it) == {L1_BYTES: "lmcache has 512 MiB of L1; the cache server restarts with 1 GiB"}
        await _look(it)
        assert server.resized == [GIB]
        cache.vanish("lmcache")
        assert await _look(it) == {L1_BYTES: "lmcache does not tell its L1; the cache server restarts with 1 GiB"}
        cache.leave("lmcache")
        assert await _look(it) == {L1_BYTES: "no cache server reports to control; the cache server restarts with 1 GiB"}
        _described(cache, GIB)
        assert await _look(it) == {}
        assert await it.outcomes() == ["started", "applied", "step"]


async def test_a_restart_that_fails_is_told_and_tried_again(tmp_path: Path) -> None:
    server, fleet = Server(broken="no supervisor answers"), running("prefill-0", "decode-0", "decode-1")
    fleet.says = Machinery(resizes_l1=True)
    async with deck(tmp_path, fleet, cache=_cache(), quotas=server, host=server) as it:
        await _look(it)
        await _set(it, {"l1": {"bytes": GIB}})
        assert await _look(it) == {L1_BYTES: "lmcache has 512 MiB of L1; no supervisor answers"}
        await _look(it, 0.5)
        await _look(it, 2.0)
        assert server.resized == [GIB, GIB]
        assert await it.outcomes() == ["started", "applied", "failed"]
