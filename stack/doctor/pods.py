"""Engines that run as pods: where they are, and what their specs say of their processes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from stack.doctor.facts import Process
from stack.doctor.listening import VARIABLES
from stack.kube.engine_pods import Selection, address
from stack.kube.launched import LaunchedPod, arguments, engine_container


def processes(pods: Iterable[LaunchedPod], selection: Selection) -> Mapping[str, Process]:
    """What specs say of vLLM's processes, by the URL of their engine."""
    found = ((address(pod, selection), process(pod)) for pod in pods)
    return {url: told for url, told in found if url is not None and told is not None}


def process(pod: LaunchedPod) -> Process | None:
    """The pod's vLLM; None where its spec does not show one. An image may set variables that the spec does not."""
    container = engine_container(pod)
    if container is None:
        return None
    named = {one.name: one.value for one in container.env if one.name in VARIABLES and one.value is not None}
    return Process(arguments(container), named, whole=False)
