"""What the control plane needs from the world: machinery that scales pools, and a store that outlives the process."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import msgspec

from stack.control.audit import AuditRecord
from stack.control.experiment import Experiment
from stack.control.machinery import Machinery
from stack.control.report import Report
from stack.control.state import SCHEMA, Desired
from stack.control.tally import Tally
from stack.control.tiers import StoreLimits, StoreSeen
from stack.model.tier import Pool


class ScalerError(RuntimeError):
    """The machinery could not do what it was asked; the message is one line for an operator."""


class PoolScaler(Protocol):
    """Starts and ends engines: the local supervisor, or Kubernetes. One suite holds all to this (scaler_conformance)."""

    async def look(self) -> Machinery:
        """Every engine there is or will be by what was asked, and what runs the pools. Raises ScalerError."""
        ...

    async def grow(self, model: str, pool: Pool, by: int) -> tuple[str, ...]:
        """Start `by` more engines, all or none; they join when they are ready.

        Their names, where they are known at once; the next look lists as many in any case. More than one at once only in
        pools that have a workload. Raises ScalerError.
        """
        ...

    async def remove(self, name: str) -> None:
        """End an engine for good, no other in its place; it has been drained, and is of the lowest turn. Raises ScalerError."""
        ...


class TierError(RuntimeError):
    """A cache tier could not be looked at or changed; the message is one line for an operator."""


class TierBackend(Protocol):
    """The store that is L2, as far as its limits go. The deadline is the caller's."""

    async def look(self) -> StoreSeen:
        """What its limits are, and whether they can be changed from here. Raises TierError."""
        ...

    async def limit(self, limits: StoreLimits) -> None:
        """Set those that are not null, at once. Raises TierError; some may be set then."""
        ...


class QuotaBackend(Protocol):
    """Cache servers by URL, as far as their quotas go. The deadline is the caller's."""

    async def quotas(self, url: str) -> Mapping[str, int]:
        """Bytes by cache salt. Raises TierError."""
        ...

    async def limit(self, url: str, salt: str, most: int | None) -> None:
        """Set a salt's quota in bytes, or take it away. Raises TierError."""
        ...


class CacheHost(Protocol):
    """Runs the cache servers."""

    async def resize_l1(self, amount: int) -> None:
        """Restart them with so many bytes of L1; nothing happens where they have been started with as many. Raises ScalerError."""
        ...


class StoreError(RuntimeError):
    """The store could not keep what it was given; nothing of it was kept."""


@dataclass(frozen=True, slots=True)
class Kept:
    """The last desired state that was applied, and its generation.

    `beyond` are the fields, at `ignored` paths, of a newer release of that `schema`: kept for it, and without effect here.
    """

    generation: int
    desired: Desired
    schema: int = SCHEMA
    beyond: Mapping[str, object] = field(default_factory=dict)
    ignored: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Generation:
    """A desired state that was kept once: `at` is Unix seconds, `record` what the audit log says of how it came to be."""

    number: int
    at: float
    record: AuditRecord | None


class Store(Protocol):
    """Keeps the desired state and the audit log, on disk before it answers."""

    async def load(self) -> Kept | None:
        """What was kept last, None at the very first start. Raises StoreError."""
        ...

    async def keep(self, kept: Kept, record: AuditRecord) -> None:
        """Both or neither, durably. Raises StoreError."""
        ...

    async def note(self, record: AuditRecord) -> None:
        """One more audit record, the state unchanged. Raises StoreError."""
        ...

    async def records(self, limit: int, before: int | None = None) -> tuple[AuditRecord, ...]:
        """The newest `limit` records, of those with a sequence lower than `before`; newest first. Raises StoreError."""
        ...

    async def generations(self, limit: int, before: int | None = None) -> tuple[Generation, ...]:
        """The newest `limit` that are kept, of those lower than `before`; newest first. Raises StoreError."""
        ...

    async def document(self, generation: int) -> object | None:
        """What was desired in `generation`, as JSON written then; None when there is no such generation. Raises StoreError."""
        ...


class ReportStore(Protocol):
    """Keeps the reports of so many of the latest changes."""

    async def put(self, reports: Sequence[Report]) -> None:
        """Keep all or none of `reports`, each in place of an earlier one of the same change and model. Raises StoreError."""
        ...

    async def of(self, generation: int) -> tuple[Report, ...]:
        """What is kept of a change, a report for each model that it changed. Raises StoreError."""
        ...


class ExperimentStore(Protocol):
    """Keeps experiments as they are now, on disk before it answers."""

    async def keep(self, experiment: Experiment, tally: Tally, record: AuditRecord | None) -> None:
        """All or nothing; `record` is added to the audit log. Raises StoreError."""
        ...

    async def newest(self, limit: int) -> tuple[Experiment, ...]:
        """The `limit` that began last, newest first, without those that another release kept in a way unknown to this one.
        Raises StoreError."""
        ...

    async def one(self, name: str) -> tuple[Experiment, Tally] | None:
        """One of them with what it has found; None when there is none of this id. Raises StoreError."""
        ...


class LogState(msgspec.Struct, frozen=True, kw_only=True):
    """How keeping decisions in files goes. `lost` were not written; `error` is the last failure while it lasts, else None."""

    folder: str
    format: str
    written: int
    lost: int
    error: str | None = None


class DecisionLog(Protocol):
    """Keeps decisions for later. It never fails and never makes anyone wait: what cannot be kept is counted."""

    def offer(self, documents: Sequence[bytes]) -> None:
        """Decisions as JSON, oldest first."""
        ...

    def state(self) -> LogState:
        """How it goes."""
        ...
