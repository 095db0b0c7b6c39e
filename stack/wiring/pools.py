"""What runs the engines for control, and where it reads which there are."""

from __future__ import annotations

import os
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from stack.adapters.plain_yaml import PlainYamlError, parse, read
from stack.adapters.pool_scaler import SupervisorScaler
from stack.adapters.target_file import TargetFile
from stack.api.settings import ControlConfigError, ControlSettings, KubernetesPools
from stack.control.ports import PoolScaler
from stack.control.state import Desired
from stack.kube.access import AccessError, from_kubeconfig, in_cluster
from stack.kube.engine_pods import Selection
from stack.kube.pool_map import PoolMapError, PoolWorkload, pool_map
from stack.kube.scaler import KubernetesScaler
from stack.model.target import Target


@dataclass(frozen=True, slots=True)
class Pools:
    """`targets` answers with the engines that can be reached when they changed."""

    scaler: PoolScaler
    targets: Callable[[], Sequence[Target] | None]


@asynccontextmanager
async def pools(settings: ControlSettings, desired: Desired) -> AsyncIterator[Pools]:
    """As `settings` say, for the models that are desired. Raises ControlConfigError."""
    if not isinstance(settings.pools, KubernetesPools):
        model = next(iter(desired.models))
        yield Pools(SupervisorScaler(settings.pools.socket, model), TargetFile(settings.pools.targets).changed)
        return
    scaler = _on_kubernetes(settings.pools, settings.config, desired)
    try:
        yield Pools(scaler, scaler.targets)
    finally:
        await scaler.close()


def _on_kubernetes(told: KubernetesPools, config: Path | None, desired: Desired) -> KubernetesScaler:
    if config is None:
        raise ControlConfigError("--pools kubernetes needs --config with a section 'kubernetes:', which says what runs each pool")
    try:
        access = from_kubeconfig(told.kubeconfig) if told.kubeconfig else in_cluster(os.environ)
        mapped = pool_map(_section(config), access.namespace)
    except (AccessError, PoolMapError) as error:
        raise ControlConfigError(f"--pools kubernetes: {error}") from error
    _check(mapped, desired, config)
    namespaces = tuple(sorted({one.namespace for one in mapped}))
    return KubernetesScaler(access, mapped, Selection("", namespaces, told.port), time.monotonic)


def _section(config: Path) -> object:
    try:
        document = parse(read(config))
    except PlainYamlError as error:
        raise ControlConfigError(f"{config} cannot be read: {error}") from error
    if not isinstance(document, Mapping) or "kubernetes" not in document:
        raise ControlConfigError(f"{config} has no section 'kubernetes:', which says what runs each pool")
    return document["kubernetes"]


def _check(mapped: Sequence[PoolWorkload], desired: Desired, config: Path) -> None:
    if unknown := desired.models.keys() - {one.model for one in mapped}:
        raise ControlConfigError(f"{config}, 'kubernetes:': says of no workload that it runs {', '.join(sorted(unknown))}")
