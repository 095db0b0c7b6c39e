"""What could be found out about a fleet. None is what was not told, and never stands for zero or for well."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from stack.engines import vllm_command
from stack.engines.exposed import Exposed
from stack.engines.lmcache_l2 import L2Address
from stack.engines.samples import Samples
from stack.engines.versions import version
from stack.engines.vllm import resolved
from stack.kube.operator import Operator
from stack.model.target import Target
from stack.model.tier import Pool

_CONFIG_FILE_OPTION = "--config"


@dataclass(frozen=True, slots=True)
class Process:
    """An engine's process where it may be read: on this machine, or in its pod's spec. `variables` are the few that checks ask for.

    `cores` is how many it kept busy over a second, with the processes it started. A pod's spec tells of a process too, and not
    `whole`: its image may set variables that are not among these.
    """

    arguments: tuple[str, ...]
    variables: Mapping[str, str]
    cores: float | None = None
    whole: bool = True

    def variable(self, name: str, unset: str) -> str | None:
        """Its value; `unset` where it is not set, None where that is not known."""
        return self.variables.get(name) or (unset if self.whole else None)

    def option(self, name: str) -> str | None:
        """The value of an option of vLLM's, None without it."""
        return vllm_command.option(self.arguments, name)

    def connectors(self) -> list[Mapping[str, object]]:
        """vLLM's KV transfer configuration and those nested in it, outermost first; empty where there is none to read."""
        return vllm_command.connectors(self.arguments)


@dataclass(frozen=True, slots=True)
class EventSource:
    """Where one data-parallel rank publishes its KV events."""

    enabled: bool
    endpoint: str | None
    replay_endpoint: str | None


@dataclass(frozen=True, slots=True)
class Skew:
    """How far an engine's clock is ahead of this machine's, in seconds: between `least` and `most`."""

    least: float
    most: float


@dataclass(frozen=True, slots=True)
class Engine:
    """One engine of the target file. `fault`: why it could not be asked."""

    target: Target
    fault: str | None = None
    version: str | None = None
    roots: tuple[str, ...] = ()
    samples: Samples | None = None
    events: tuple[EventSource, ...] | None = None
    replays: bool | None = None
    skew: Skew | None = None
    process: Process | None = None

    @property
    def name(self) -> str:
        return self.target.replica

    @property
    def connectors(self) -> list[Mapping[str, object]] | None:
        """Its KV connectors, outermost first; None where its arguments are not known, or leave that to a configuration file."""
        if self.process is None:
            return None
        return self.process.connectors() or ([] if self.process.option(_CONFIG_FILE_OPTION) is None else None)

    @property
    def exposed(self) -> Exposed | None:
        """Its quantities, by the names of its version; None where its metrics could not be read."""
        return None if self.samples is None else resolved(self.samples, version(self.version))


@dataclass(frozen=True, slots=True)
class CacheServer:
    """A cache server: its `GET /status`, the model names it was asked for, the L2s it uses (none: an empty tuple), its version."""

    status: Mapping[str, object] | None
    models: frozenset[str] | None
    fault: str | None = None
    l2: tuple[L2Address, ...] | None = None
    version: str | None = None


@dataclass(frozen=True, slots=True)
class Store:
    """A Redis or Valkey by its INFO, in bytes. A limit of 0 is none; `refuses` is why it takes no writes whatever its memory."""

    address: L2Address
    used: int | None = None
    limit: int | None = None
    policy: str | None = None
    fault: str | None = None
    refuses: str | None = None


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule that Prometheus evaluates."""

    name: str
    query: str
    health: str


@dataclass(frozen=True, slots=True)
class Scrape:
    """A target that Prometheus scrapes, by its job and replica; times in seconds."""

    target: str
    health: str
    took_seconds: float
    timeout_seconds: float | None


@dataclass(frozen=True, slots=True)
class Prometheus:
    """What Prometheus says of itself. `size_limit` is what it keeps at most, 0B without a limit."""

    retention: str | None = None
    rules: tuple[Rule, ...] | None = None
    scrapes: tuple[Scrape, ...] | None = None
    fault: str | None = None
    size_limit: str | None = None


@dataclass(frozen=True, slots=True)
class Monitored:
    """What the Prometheus operator of a cluster is told; None where there is none, or, by `fault`, where that cannot be read."""

    operator: Operator | None
    fault: str | None = None


@dataclass(frozen=True, slots=True)
class Facts:
    """Everything. `cache_server`, `prometheus`, `store` and `monitored` are None where nobody said where to look."""

    engines: tuple[Engine, ...]
    cache_server: CacheServer | None = None
    prometheus: Prometheus | None = None
    store: Store | None = None
    monitored: Monitored | None = None

    def pool(self, pool: Pool) -> tuple[Engine, ...]:
        """The engines of one pool."""
        return tuple(engine for engine in self.engines if engine.target.pool is pool)

    @property
    def disaggregated(self) -> bool:
        """Engines prefill for others."""
        return bool(self.pool(Pool.PREFILL))
