"""Follows the engines' pods: a list, then a watch from where the list stood, for ever."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable

import httpx

from stack.kube.access import Access
from stack.kube.api import GONE, KubeError, client, list_pods, watch_pods
from stack.kube.engine_pods import ALL_NAMESPACES, Selection, engines
from stack.kube.objects import Pod
from stack.model.target import Target

log = logging.getLogger(__name__)

_FIRST_PAUSE, _LONGEST_PAUSE = 1.0, 30.0


class EnginePods:
    """The engines that run as pods now.

    While the API server cannot be asked the last answer stays, and `healthy` is False: pods go on without it.
    """

    mechanism = "kubernetes"

    def __init__(self, access: Access, selection: Selection, transport: httpx.AsyncBaseTransport | None = None) -> None:
        self._http = client(access, transport)
        self._selection = selection
        named = [name for name in selection.namespaces if name != ALL_NAMESPACES]
        self._namespaces = [""] if len(named) < len(selection.namespaces) else named or [access.namespace]
        self._pods: dict[str, dict[tuple[str, str], Pod]] = {}  # by followed namespace, of those that were listed once
        self._versions: dict[str, str] = {}
        self._failing: set[str] = set(self._namespaces)
        self._told_of: set[str] = set()  # failures that were logged
        self._told: list[Target] | None = None

    @property
    def healthy(self) -> bool:
        """Every namespace is listed, and followed."""
        return not self._failing

    def changed(self) -> list[Target] | None:
        """The engines when they changed since the last time, else None; nothing before each namespace was listed once."""
        if len(self._pods) < len(self._namespaces):
            return None
        now = engines([pod for pods in self._pods.values() for pod in pods.values()], self._selection)
        if now == self._told:
            return None
        self._told = now
        return now

    async def run(self, sleep: Callable[[float], Awaitable[None]] = asyncio.sleep) -> None:
        """Follow every namespace, for ever."""
        async with self._http, asyncio.TaskGroup() as tasks:
            for namespace in self._namespaces:
                tasks.create_task(self._follow(namespace, sleep))

    async def _follow(self, namespace: str, sleep: Callable[[float], Awaitable[None]]) -> None:
        pause = _FIRST_PAUSE
        while True:
            try:
                await self._list(namespace)
                while True:
                    await self._watch(namespace)
                    pause = _FIRST_PAUSE
                    await sleep(_FIRST_PAUSE)  # a server that ends watches at once is not asked without end
            except (KubeError, httpx.HTTPError, OSError) as error:
                if not isinstance(error, KubeError) or error.status != GONE:  # that version is too old: no failure
                    self._failed(namespace, error)
            await sleep(pause)
            pause = min(2 * pause, _LONGEST_PAUSE)

    async def _list(self, namespace: str) -> None:
        pods, self._versions[namespace] = await list_pods(self._http, namespace, self._selection.selector)
        if namespace not in self._pods:
            log.info("engines' pods are followed", extra={"namespace": namespace or ALL_NAMESPACES, "pods": len(pods)})
        self._pods[namespace] = {pod.key: pod for pod in pods}
        self._failing.discard(namespace)

    async def _watch(self, namespace: str) -> None:
        """Follow until the server ends the watch."""
        since = self._versions[namespace]
        async for kind, pod, version in watch_pods(self._http, namespace, self._selection.selector, since):
            self._versions[namespace] = version
            if pod is not None and kind == "DELETED":
                self._pods[namespace].pop(pod.key, None)
            elif pod is not None:
                self._pods[namespace][pod.key] = pod
        if namespace in self._told_of:
            self._told_of.discard(namespace)
            log.info("engines' pods are followed again", extra={"namespace": namespace or ALL_NAMESPACES})

    def _failed(self, namespace: str, error: Exception) -> None:
        if namespace not in self._told_of:
            self._told_of.add(namespace)
            detail = {"error": type(error).__name__, "detail": str(error)[:200]}
            log.warning("engines' pods cannot be followed", extra={"namespace": namespace or ALL_NAMESPACES, **detail})
        self._failing.add(namespace)
