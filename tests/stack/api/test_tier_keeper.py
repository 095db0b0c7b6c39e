"""The tiers are kept as desired, over a store that does as the test says."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from stack.control.mode import Mode, Stance
from stack.control.ports import TierError
from stack.control.tiers import StoreLimits, StoreSeen
from tests.stack.api.deck import Deck, deck

GIB = 1 << 30
MEMORY = "tiers.l2.store.maxmemory_bytes"


@dataclass
class Backend:
    """A store in memory. `away` makes every call fail, `closed` every change."""

    memory: int = 2 * GIB
    policy: str = "allkeys-lru"
    away: str | None = None
    closed: str | None = None
    asked: list[StoreLimits] = field(default_factory=list)

    async def look(self) -> StoreSeen:
        if self.away is not None:
            raise TierError(self.away)
        return StoreSeen(maxmemory_bytes=self.memory, eviction_policy=self.policy, used_bytes=GIB)

    async def limit(self, limits: StoreLimits) -> None:
        self.asked.append(limits)
        if self.away or self.closed:
            raise TierError(self.away or self.closed)
        self.memory = limits.maxmemory_bytes or self.memory
        self.policy = limits.eviction_policy or self.policy


async def _look(it: Deck, seconds: float = 2.0) -> dict[str, str]:
    it.clock.advance(seconds)
    assert it.control.tiers is not None
    await it.control.tiers.tick()
    return {entry["field"]: entry["reason"] for entry in (await it.state())["drift"] if entry["field"].startswith("tiers")}


async def _limit(it: Deck, memory: int | None) -> int:
    answer = await it.patch({"tiers": {"l2": {"store": {"maxmemory_bytes": memory}}}})
    return answer.status_code


async def test_a_limit_is_set_read_back_and_audited(tmp_path: Path) -> None:
    backend = Backend()
    async with deck(tmp_path, tiers=backend) as it:
        assert await _look(it) == {}
        assert await _limit(it, 4 * GIB) == 200
        assert await _look(it) == {}
        assert backend.memory == 4 * GIB
        assert (await it.state())["applied"]["store"] == {
            "maxmemory_bytes": 4 * GIB, "eviction_policy": "allkeys-lru", "used_bytes": GIB, "error": None, "refusal": None,
        }  # fmt: skip
        assert await _look(it) == {}
        assert backend.asked == [StoreLimits(maxmemory_bytes=4 * GIB)]
        step = (await it.http.get("/v1/audit")).json()["records"][0]
        assert (step["outcome"], step["field"], step["effects"]) == ("step", MEMORY, ["the store may hold 4 GiB"])


async def test_a_store_that_began_anew_gets_its_limit_again(tmp_path: Path) -> None:
    backend = Backend()
    async with deck(tmp_path, tiers=backend) as it:
        await _look(it)
        await _limit(it, 4 * GIB)
        await _look(it)
        backend.memory = 2 * GIB
        assert await _look(it) == {}
        assert backend.memory == 4 * GIB


async def test_a_store_that_is_away_is_drift_until_it_is_back(tmp_path: Path) -> None:
    backend = Backend()
    async with deck(tmp_path, tiers=backend) as it:
        await _look(it)
        backend.away = "the store does not answer: ConnectionError"
        assert await _limit(it, 4 * GIB) == 200
        assert await _look(it) == {MEMORY: "the store does not answer: ConnectionError"}
        backend.away = None
        assert await _look(it) == {}
        assert backend.memory == 4 * GIB


async def test_a_store_that_refuses_is_drift_with_its_reason_and_asked_ever_more_rarely(tmp_path: Path) -> None:
    backend = Backend(closed="the store did not take it: OOM")
    async with deck(tmp_path, tiers=backend) as it:
        await _look(it)
        await _limit(it, 4 * GIB)
        assert await _look(it) == {MEMORY: "the store did not take it: OOM"}
        await _look(it, 0.5)
        assert len(backend.asked) == 1
        await _look(it, 1.0)
        await _look(it, 1.0)
        assert len(backend.asked) == 2
        assert await it.outcomes() == ["started", "applied", "failed"]
        await _limit(it, None)
        assert await _look(it) == {}
        assert (await it.state())["applied"]["store"]["error"] is None


async def test_nothing_is_set_where_control_only_observes(tmp_path: Path) -> None:
    backend = Backend()
    async with deck(tmp_path, tiers=backend) as it:
        await _look(it)
        await _limit(it, 4 * GIB)
    async with deck(tmp_path, tiers=backend, stance=Stance(Mode.OBSERVE)) as it:
        assert await _look(it) == {MEMORY: "the store has 2 GiB, desired are 4 GiB"}
        assert backend.asked == []


async def test_without_a_store_a_limit_is_refused(tmp_path: Path) -> None:
    async with deck(tmp_path) as it:
        answer = await it.patch({"tiers": {"l2": {"store": {"maxmemory_bytes": GIB}}}})
        assert answer.status_code == 422
        assert answer.json()["error"]["field"] == MEMORY
