"""Engines that run as pods: where they are, and what their specs say of their processes."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Mapping

from stack.doctor.facts import Process
from stack.doctor.listening import VARIABLES, is_vllm
from stack.kube.engine_pods import Selection, address
from stack.kube.launched import LaunchedContainer, LaunchedPod

_SHELLS = frozenset({"sh", "bash"})


def processes(pods: Iterable[LaunchedPod], selection: Selection) -> Mapping[str, Process]:
    """What specs say of vLLM's processes, by the URL of their engine."""
    found = ((address(pod, selection), process(pod)) for pod in pods)
    return {url: told for url, told in found if url is not None and told is not None}


def process(pod: LaunchedPod) -> Process | None:
    """The pod's vLLM; None where its spec does not show one. An image may set variables that the spec does not."""
    for container in pod.spec.containers:
        arguments = tuple(_arguments(container))
        if is_vllm(arguments) or "--model" in arguments:
            named = {one.name: one.value for one in container.env if one.name in VARIABLES and one.value is not None}
            return Process(arguments, named, whole=False)
    return None


def _arguments(container: LaunchedContainer) -> Iterator[str]:
    """With those that stand in a shell's script."""
    yield from (*container.command, *container.args)
    if container.command and container.command[0].rpartition("/")[2] in _SHELLS:
        for script in (*container.command[1:], *container.args):
            yield from _words(script)


def _words(script: str) -> list[str]:
    try:
        return shlex.split(script, comments=True)
    except ValueError:  # a quote that is not closed: nothing a shell would run, either
        return []
