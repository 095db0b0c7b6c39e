"""What is read of the API server's objects; the rest of them is skipped.

https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/pod-v1/
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Generic, TypeVar

import msgspec

_Object = TypeVar("_Object")


class Metadata(msgspec.Struct, frozen=True, rename="camel"):
    """Of every object; `deletion_timestamp` is set once a pod is being ended."""

    name: str = ""
    namespace: str = ""
    resource_version: str = ""
    labels: dict[str, str] = {}
    annotations: dict[str, str] = {}
    deletion_timestamp: str | None = None


class Port(msgspec.Struct, frozen=True, rename="camel"):
    """A port that a container declares."""

    container_port: int
    name: str = ""


class Container(msgspec.Struct, frozen=True):
    """One container of a pod."""

    ports: list[Port] = []


class PodSpec(msgspec.Struct, frozen=True, rename="camel"):
    """Sidecars are init containers that go on. `node_name` is empty until the pod is given to a node."""

    containers: Sequence[Container] = ()
    init_containers: Sequence[Container] = ()
    node_name: str = ""


class Condition(msgspec.Struct, frozen=True):
    """One that a pod meets or not: `status` is True, False or Unknown."""

    type: str
    status: str
    reason: str = ""
    message: str = ""


class Waiting(msgspec.Struct, frozen=True):
    """Why a container does not run yet, or does not run again."""

    reason: str = ""
    message: str = ""


class ContainerState(msgspec.Struct, frozen=True):
    """`waiting` is None of a container that runs or has ended."""

    waiting: Waiting | None = None


class ContainerStatus(msgspec.Struct, frozen=True, rename="camel"):
    """How one container of a pod is."""

    name: str = ""
    state: ContainerState = ContainerState()
    restart_count: int = 0


class PodStatus(msgspec.Struct, frozen=True, rename="camel"):
    """Where a pod is in its life, and where it can be reached."""

    phase: str = ""
    pod_ip: str = msgspec.field(default="", name="podIP")
    conditions: Sequence[Condition] = ()
    container_statuses: Sequence[ContainerStatus] = ()

    def condition(self, kind: str) -> Condition | None:
        """The condition of that type, None where nobody has set it."""
        return next((condition for condition in self.conditions if condition.type == kind), None)


class Pod(msgspec.Struct, frozen=True):
    """A pod, as far as it is read here."""

    metadata: Metadata
    spec: PodSpec = PodSpec()
    status: PodStatus = PodStatus()

    @property
    def key(self) -> tuple[str, str]:
        """Namespace and name, by which it is replaced."""
        return self.metadata.namespace, self.metadata.name

    def ports(self) -> Iterator[Port]:
        """The ports of all its containers."""
        for container in (*self.spec.containers, *self.spec.init_containers):
            yield from container.ports


class ListMetadata(msgspec.Struct, frozen=True, rename="camel"):
    """`continue_` is there while more pages follow."""

    resource_version: str = ""
    continue_: str = msgspec.field(default="", name="continue")


class ObjectList(msgspec.Struct, Generic[_Object], frozen=True):
    """One page of a list."""

    metadata: ListMetadata
    items: list[_Object]


class Status(msgspec.Struct, frozen=True):
    """What the API server says of a request that failed."""

    code: int = 0
    reason: str = ""
    message: str = ""


class Event(msgspec.Struct, frozen=True):
    """One line of a watch: ADDED, MODIFIED, DELETED, BOOKMARK or ERROR, and what it is about."""

    type: str
    object: msgspec.Raw
