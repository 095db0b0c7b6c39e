"""The fleet at one moment: an immutable value with the views that routing needs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

import msgspec

from stack.fleet.adapters import Adapter, adapters_of
from stack.fleet.engine import Engine, Health, Standing
from stack.model.tier import Pool


class Member(msgspec.Struct, frozen=True, gc=False):
    """One engine with what its health is judged by: failures in a row, and the last one's cause.

    `failures` counts requests, and unlike the others no probe resets it. `ejected_s` is how long the last ejection was
    meant to last, in seconds, 0 once a request was answered; `ejection` says why, in words. `adapters` are the LoRA adapters
    it says it serves beside its model, None as long as it has not said.
    """

    engine: Engine
    failed_probes: int = 0
    failed_connects: int = 0
    failures: int = 0
    ejected_s: float = 0.0
    ejection: str = ""
    detail: str = ""
    adapters: frozenset[str] | None = None

    @property
    def name(self) -> str:
        return self.engine.name

    @property
    def untroubled(self) -> bool:
        """Requests have nothing against it."""
        return self.failures == 0 and self.failed_connects == 0 and self.engine.standing is Standing.IN

    @property
    def account(self) -> str:
        """What there is to say about it, in words; empty when it is well."""
        return self.ejection or self.detail


@dataclass(frozen=True, slots=True)
class Fleet:
    """All engines by name. Build one with `Fleet.of`; change one with `stack.fleet.machine.step`.

    `draining` may name engines that do not exist yet.
    """

    members: Mapping[str, Member] = field(default_factory=lambda: MappingProxyType({}))
    draining: frozenset[str] = frozenset()
    adapters: Mapping[str, Adapter] = field(default_factory=lambda: MappingProxyType({}))
    _routable: Mapping[tuple[str, Pool], tuple[Engine, ...]] = field(default_factory=lambda: MappingProxyType({}))

    @classmethod
    def of(cls, members: Iterable[Member], draining: frozenset[str] = frozenset()) -> Fleet:
        """The fleet of `members`, in the order of their names."""
        ordered = sorted(members, key=lambda member: member.name)
        routable: dict[tuple[str, Pool], tuple[Engine, ...]] = {}
        for engine in (member.engine for member in ordered if member.engine.routable):
            key = (engine.target.model, engine.pool)
            routable[key] = (*routable.get(key, ()), engine)
        listed = ((member.engine, member.adapters or ()) for member in ordered)
        by_name = MappingProxyType({member.name: member for member in ordered})
        return cls(by_name, draining, MappingProxyType(adapters_of(listed)), MappingProxyType(routable))

    @property
    def engines(self) -> tuple[Engine, ...]:
        """Every engine, routable or not, by name."""
        return tuple(member.engine for member in self.members.values())

    @property
    def models(self) -> tuple[str, ...]:
        """Every served model, sorted, whether or not an engine of it is routable."""
        return tuple(sorted({member.engine.target.model for member in self.members.values()}))

    def of_model(self, model: str) -> tuple[Engine, ...]:
        """Every engine that serves `model`, routable or not; those that have it where it is an adapter."""
        if (adapter := self.adapters.get(model)) is not None:
            return tuple(engine for engine in self.engines if engine.target.replica in adapter.engines)
        return tuple(engine for engine in self.engines if engine.target.model == model)

    def base(self, name: str) -> str:
        """The served model that `name` is an adapter of, else `name` itself."""
        adapter = self.adapters.get(name)
        return name if adapter is None else adapter.model

    @property
    def unlisted(self) -> bool:
        """Some ready engine has not said yet what it serves: a name that is not known may still turn out to be an adapter's."""
        return any(m.adapters is None and m.engine.health is Health.READY for m in self.members.values())

    def routable(self, model: str, pool: Pool) -> tuple[Engine, ...]:
        """Engines of one model and pool that may take new requests, by name; the same tuple as long as the fleet is the same."""
        return self._routable.get((model, pool), ())

    def candidates(self, model: str, pool: Pool, loaded: Callable[[Engine], Engine]) -> tuple[Engine, ...]:
        """Those that are routable under their load, which `loaded` adds."""
        return tuple([engine for engine in map(loaded, self.routable(model, pool)) if engine.admitted])


def lost(before: Fleet, after: Fleet) -> frozenset[str]:
    """Engines whose cache must be taken for gone: they left, were replaced, or fell out of readiness."""
    return frozenset(name for name, member in before.members.items() if _is_lost(member, after.members.get(name)))


def _is_lost(member: Member, now: Member | None) -> bool:
    if now is None or now.engine.target != member.engine.target:
        return True
    return member.engine.health is Health.READY and now.engine.health is Health.NOT_READY
