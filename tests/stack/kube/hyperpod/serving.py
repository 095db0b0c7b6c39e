"""A stand-in API server on a socket, for commands that bring an event loop of their own."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.stack.kube.stand_in.api_server import StandIn
from tests.stack.kube.stand_in.transport import served


@contextmanager
def kubeconfig(server: StandIn, file: Path, namespace: str = "default") -> Iterator[Path]:
    """A kubeconfig file that leads to `server` while the context is open."""
    ready, end = threading.Event(), asyncio.Event()
    urls: list[str] = []
    loop = asyncio.new_event_loop()

    async def serve() -> None:
        async with served(server) as url:
            urls.append(url)
            ready.set()
            await end.wait()

    thread = threading.Thread(target=loop.run_until_complete, args=(serve(),))
    thread.start()
    try:
        assert ready.wait(10)
        file.write_text(json.dumps(_document(urls[0], namespace)))
        yield file
    finally:
        loop.call_soon_threadsafe(end.set)
        thread.join()
        loop.close()


def _document(url: str, namespace: str) -> dict[str, object]:
    return {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": "here",
        "clusters": [{"name": "c", "cluster": {"server": url}}],
        "users": [{"name": "u", "user": {"token": "admin"}}],
        "contexts": [{"name": "here", "context": {"cluster": "c", "user": "u", "namespace": namespace}}],
    }
