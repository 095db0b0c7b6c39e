"""How a pod's containers are started, as far as its spec says; the image may say the rest."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence

import msgspec

from stack.engines.vllm_command import is_vllm
from stack.kube.objects import Container, Pod, PodSpec

_SHELLS = frozenset({"sh", "bash"})


class Variable(msgspec.Struct, frozen=True):
    """One of a container's environment; without a value it comes from elsewhere."""

    name: str
    value: str | None = None


class LaunchedContainer(Container, frozen=True):
    """A container with its image, its command line and its variables."""

    image: str = ""

    command: Sequence[str] = ()
    args: Sequence[str] = ()
    env: Sequence[Variable] = ()


class LaunchedSpec(PodSpec, frozen=True, rename="camel"):
    """Containers that prepare a pod, or stand beside it, are left as they are."""

    containers: Sequence[LaunchedContainer] = ()


class LaunchedPod(Pod, frozen=True):
    """A pod, and how it is started."""

    spec: LaunchedSpec = LaunchedSpec()


def engine_container(pod: LaunchedPod) -> LaunchedContainer | None:
    """The container of the pod's vLLM; None where its spec does not show one."""
    for container in pod.spec.containers:
        told = arguments(container)
        if is_vllm(told) or "--model" in told:
            return container
    return None


def arguments(container: LaunchedContainer) -> tuple[str, ...]:
    """Its command line, with the words of a shell's script."""
    return tuple(_arguments(container))


def _arguments(container: LaunchedContainer) -> Iterator[str]:
    yield from (*container.command, *container.args)
    if container.command and container.command[0].rpartition("/")[2] in _SHELLS:
        for script in (*container.command[1:], *container.args):
            yield from _words(script)


def _words(script: str) -> list[str]:
    try:
        return shlex.split(script, comments=True)
    except ValueError:  # a quote that is not closed: nothing a shell would run, either
        return []
