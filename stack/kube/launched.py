"""How a pod's containers are started, as far as its spec says; the image may say the rest."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from stack.kube.objects import Container, Pod, PodSpec


class Variable(msgspec.Struct, frozen=True):
    """One of a container's environment; without a value it comes from elsewhere."""

    name: str
    value: str | None = None


class LaunchedContainer(Container, frozen=True):
    """A container with its command line and its variables."""

    command: Sequence[str] = ()
    args: Sequence[str] = ()
    env: Sequence[Variable] = ()


class LaunchedSpec(PodSpec, frozen=True, rename="camel"):
    """Containers that prepare a pod, or stand beside it, are left as they are."""

    containers: Sequence[LaunchedContainer] = ()


class LaunchedPod(Pod, frozen=True):
    """A pod, and how it is started."""

    spec: LaunchedSpec = LaunchedSpec()
