"""An API server that answers with recordings, and is broken when a test says so."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import httpx

RECORDED: dict[str, Any] = {
    one["name"]: one for one in json.loads((Path(__file__).parents[2] / "data" / "kube_api.json").read_text())
}
LIST = RECORDED["list pods (its resourceVersion starts the watch)"]["response"]
LIFE = RECORDED["watch pods with bookmarks from a list's resourceVersion"]["events"]
FORBIDDEN = RECORDED["read without permission"]
# As the API's concepts describe it, not recorded.
EXPIRED = {"type": "ERROR", "object": {"kind": "Status", "code": 410, "reason": "Expired", "message": "too old resource version"}}


def pod(name: str, address: str, version: str = "1", namespace: str = "default", **more: Any) -> dict[str, Any]:
    """A running pod."""
    metadata = {"name": name, "namespace": namespace, "resourceVersion": version, **more.get("metadata", {})}
    return {"metadata": metadata, "spec": more.get("spec", {}), "status": {"phase": "Running", "podIP": address}}


def pods(*items: dict[str, Any], version: str = "100", following: str = "") -> dict[str, Any]:
    """A page of a list."""
    return {"metadata": {"resourceVersion": version, "continue": following}, "items": list(items)}


def refusal(status: int, message: str = "") -> httpx.Response:
    return httpx.Response(status, json={"kind": "Status", "code": status, "message": message})


def watch(events: Iterable[dict[str, Any]]) -> httpx.Response:
    return httpx.Response(200, content="".join(json.dumps(event) + "\n" for event in events).encode())


class Server:
    """Gives `answers` one after the other; `asked` is what was asked for."""

    def __init__(self, *answers: httpx.Response | dict[str, Any] | Exception) -> None:
        self.answers = list(answers)
        self.asked: list[httpx.Request] = []
        self.watched = asyncio.Event()

    def transport(self) -> httpx.MockTransport:
        return httpx.MockTransport(self._answer)

    def queries(self) -> list[dict[str, str]]:
        """The parameters of every request, without the selector."""
        return [{k: v for k, v in request.url.params.items() if k != "labelSelector"} for request in self.asked]

    def _answer(self, request: httpx.Request) -> httpx.Response:
        self.asked.append(request)
        if "watch" in request.url.params:
            self.watched.set()
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer if isinstance(answer, httpx.Response) else httpx.Response(200, json=answer)
