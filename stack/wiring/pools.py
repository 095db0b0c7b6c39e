"""What runs the engines for control, and where it reads which there are."""

from __future__ import annotations

import os
import time
from collections.abc import AsyncIterator, Callable, Collection, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from stack.adapters.no_machinery import NoMachinery
from stack.adapters.plain_yaml import PlainYamlError, parse, read
from stack.adapters.pool_scaler import SupervisorScaler
from stack.adapters.target_file import TargetFile, check
from stack.api.settings import ControlConfigError, ControlSettings, HyperPodPools, KubernetesPools, ListedPools, LocalPools
from stack.control.counterpart import Counterpart
from stack.control.ports import CacheHost, PoolScaler
from stack.control.state import Desired
from stack.kube.access import Access, AccessError, from_kubeconfig, in_cluster
from stack.kube.engine_pods import Selection
from stack.kube.hyperpod.dial import EndpointDial
from stack.kube.hyperpod.endpoint_map import endpoint_map
from stack.kube.hyperpod.routing import EndpointRouting
from stack.kube.pool_map import PoolMapError, PoolWorkload, pool_map
from stack.kube.scaler import KubernetesScaler
from stack.model.target import Target, TargetFileError


@dataclass(frozen=True, slots=True)
class Pools:
    """`targets` answers with the engines that can be reached when they changed, and raises TargetFileError while it cannot tell.

    `counterpart` follows what is desired. `host` runs the cache servers, None where control has nothing that restarts them.
    """

    scaler: PoolScaler
    targets: Callable[[], Sequence[Target] | None]
    counterpart: Counterpart | None = None
    host: CacheHost | None = None


@asynccontextmanager
async def pools(settings: ControlSettings, desired: Desired) -> AsyncIterator[Pools]:
    """As `settings` say, for the models that are desired. Raises ControlConfigError."""
    match settings.pools:
        case LocalPools(socket, targets):
            supervisor = SupervisorScaler(socket, next(iter(desired.models)))
            yield Pools(supervisor, _listed(targets), host=supervisor)
        case ListedPools(targets):
            yield Pools(NoMachinery(), _listed(targets))
        case HyperPodPools() as told:
            section, access = _section("hyperpod", settings.config), _access("hyperpod", told)
            async with _on_hyperpod(told, access, section, desired) as running:
                yield running
        case KubernetesPools() as told:
            section, access = _section("kubernetes", settings.config), _access("kubernetes", told)
            try:
                mapped = pool_map(section, access.namespace)
            except PoolMapError as error:
                raise ControlConfigError(f"--pools kubernetes: {error}") from error
            _check("kubernetes", {one.model for one in mapped}, desired)
            scaler = KubernetesScaler(access, mapped, _selection(mapped, told), time.monotonic)
            try:
                yield Pools(scaler, scaler.targets)
            finally:
                await scaler.close()


def check_targets(settings: ControlSettings) -> None:
    """Before anything is begun: that the target file can be read, where there is one. Raises ControlConfigError."""
    if isinstance(settings.pools, LocalPools | ListedPools):
        try:
            check(settings.pools.targets)
        except TargetFileError as error:
            raise ControlConfigError(f"--targets {error}") from error


def _listed(path: Path) -> Callable[[], Sequence[Target] | None]:
    file = TargetFile(path)

    def changed() -> Sequence[Target] | None:
        targets = file.changed()
        if file.fault is not None:
            raise TargetFileError(file.fault)
        return targets

    return changed


@asynccontextmanager
async def _on_hyperpod(told: HyperPodPools, access: Access, section: object, desired: Desired) -> AsyncIterator[Pools]:
    try:
        endpoints = endpoint_map(section, access.namespace)
    except PoolMapError as error:
        raise ControlConfigError(f"--pools hyperpod: {error}") from error
    _check("hyperpod", {one.model for one in endpoints}, desired)
    mapped = tuple(where for one in endpoints for where in one.workloads())
    dial = EndpointDial(endpoints, live=told.live_patching)
    scaler = KubernetesScaler(access, mapped, _selection(mapped, told), time.monotonic, dial=dial)
    routing = EndpointRouting(access, endpoints, time.monotonic) if told.live_patching else None
    try:
        yield Pools(scaler, scaler.targets, routing)
    finally:
        await scaler.close()
        if routing is not None:
            await routing.close()


def _access(name: str, told: KubernetesPools) -> Access:
    try:
        return from_kubeconfig(told.kubeconfig) if told.kubeconfig else in_cluster(os.environ)
    except AccessError as error:
        raise ControlConfigError(f"--pools {name}: {error}") from error


def _selection(mapped: Sequence[PoolWorkload], told: KubernetesPools) -> Selection:
    return Selection("", tuple(sorted({one.namespace for one in mapped})), told.port)


def _section(name: str, config: Path | None) -> object:
    if config is None:
        raise ControlConfigError(f"--pools {name} needs --config with a section '{name}:', which says what runs each pool")
    try:
        document = parse(read(config))
    except PlainYamlError as error:
        raise ControlConfigError(f"{config} cannot be read: {error}") from error
    if not isinstance(document, Mapping) or name not in document:
        raise ControlConfigError(f"{config} has no section '{name}:', which says what runs each pool")
    return document[name]


def _check(name: str, models: Collection[str], desired: Desired) -> None:
    if unknown := desired.models.keys() - models:
        raise ControlConfigError(f"'{name}:' says of no workload that it runs {', '.join(sorted(unknown))}")
