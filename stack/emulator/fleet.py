"""The engines of one emulator process, by replica, and the memory they share."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Mapping

import msgspec
import zmq

from stack.emulator.assembly import RunningEngine, Surroundings
from stack.emulator.cache_reports import CacheReports
from stack.emulator.engine import Clock
from stack.emulator.identity import EngineSpec
from stack.emulator.profiles import Profile
from stack.emulator.shared_memory import CacheServerError, SharedMemory
from stack.emulator.tokens import Tokenizer
from stack.emulator.transfer import Fabric

log = logging.getLogger(__name__)


class FleetError(ValueError):
    """The engine cannot be had; the message says why."""


class EngineStatus(msgspec.Struct, frozen=True, kw_only=True):
    """One engine as GET /engines tells of it. `state` is ready or crashed, `detail` why it crashed."""

    replica: str
    pool: str
    model: str
    model_root: str
    url: str
    profile: str
    state: str
    detail: str
    kv_events: str | None
    replay: str | None
    emulated: bool = True


class Fleet:
    """Starts and stops engines. `profiles` are ready to use (scaled); `tokenizer` loads by model root."""

    def __init__(self, profiles: Mapping[str, Profile], profile: str, tokenizer: Callable[[str], Tokenizer], clock: Clock) -> None:
        self._profiles = profiles
        self._profile = profile
        self._load_tokenizer = tokenizer
        self._clock = clock
        self._fabric = Fabric()
        self._zmq: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
        self._zmq.max_sockets = 20_000
        self._tokenizers: dict[str, Tokenizer] = {}
        self._stores: dict[tuple[str, str], SharedMemory] = {}
        self._engines: dict[str, tuple[RunningEngine, str]] = {}
        self._reports: CacheReports | None = None

    async def start(self, replica: str, spec: EngineSpec) -> EngineStatus:
        """Have `replica` run as `spec` says: nothing happens when it does, else it is (re)started. Raises FleetError."""
        known = self._engines.get(replica)
        if known is not None and known[0].engine.death is None and known[0].identity.spec == spec:
            return self._status(replica)
        await self.stop(replica, grace_seconds=0)
        profile = self._profile_of(spec)
        try:
            tiers = self._store(profile, spec).join(replica, self._reports_of(profile, spec))
        except CacheServerError as error:
            raise FleetError(f"{replica}: {error}") from error
        around = Surroundings(profile, tiers, self._fabric, self._tokenizer(spec), self._zmq, self._clock)
        try:
            engine = RunningEngine(replica, spec, around)
        except OSError as error:
            self._store(profile, spec).leave(replica)
            raise FleetError(f"{replica}: {error}") from error
        self._engines[replica] = engine, profile.name
        await engine.start()
        log.info("emulated engine started", extra={"replica": replica, "port": engine.identity.port, "profile": profile.name})
        return self._status(replica)

    async def stop(self, replica: str, grace_seconds: float) -> bool:
        """End `replica`; requests under way have `grace_seconds`. False when there is none."""
        known = self._engines.pop(replica, None)
        if known is None:
            return False
        engine, profile = known
        self._stores[profile, engine.identity.spec.model_root].leave(replica)
        await engine.close(grace_seconds)
        log.info("emulated engine stopped", extra={"replica": replica})
        return True

    def list(self) -> list[EngineStatus]:
        """Every engine, ordered by name, crashed ones too."""
        return [self._status(replica) for replica in sorted(self._engines)]

    async def close(self) -> None:
        """End everything at once."""
        await asyncio.gather(*(self.stop(replica, 0) for replica in list(self._engines)))
        self._zmq.destroy(linger=0)

    @property
    def reports(self) -> CacheReports | None:
        """What the cache server that engines name has to report; None when no engine names one."""
        return self._reports

    def _reports_of(self, profile: Profile, spec: EngineSpec) -> CacheReports | None:
        """Raises CacheServerError when it would be the second one: they would share an address."""
        if spec.cache_server is None:
            return None
        if self._reports is None:
            blocks = profile.l1_blocks + profile.l2_blocks + profile.engine_blocks
            self._reports = CacheReports(spec.cache_server, profile.block_size, int(time.time()), 4 * blocks)
        if (self._reports.server, self._reports.block_size) != (spec.cache_server, profile.block_size):
            raise CacheServerError(f"there is a cache server {self._reports.server!r} already, and one is all there can be")
        return self._reports

    def _profile_of(self, spec: EngineSpec) -> Profile:
        name = spec.profile or self._profile
        if name not in self._profiles:
            raise FleetError(f"unknown profile {name!r}; known: {', '.join(sorted(self._profiles))}")
        return self._profiles[name]

    def _store(self, profile: Profile, spec: EngineSpec) -> SharedMemory:
        return self._stores.setdefault((profile.name, spec.model_root), SharedMemory(profile))

    def _tokenizer(self, spec: EngineSpec) -> Tokenizer:
        if spec.model_root not in self._tokenizers:
            self._tokenizers[spec.model_root] = self._load_tokenizer(spec.model_root)
        return self._tokenizers[spec.model_root]

    def _status(self, replica: str) -> EngineStatus:
        engine, profile = self._engines[replica]
        spec, death = engine.identity.spec, engine.engine.death
        return EngineStatus(
            replica=replica,
            pool=spec.pool.value,
            model=spec.model,
            model_root=spec.model_root,
            url=f"http://{spec.host}:{engine.identity.port}",
            profile=profile,
            state="ready" if death is None else "crashed",
            detail=death or "",
            kv_events=spec.kv_events,
            replay=spec.replay,
        )
