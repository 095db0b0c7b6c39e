"""Asks the API server: lists and watches of pods, single objects, and what is put in their place."""

from __future__ import annotations

from collections.abc import AsyncIterator, Generator, Mapping
from typing import TypeVar
from urllib.parse import quote

import httpx
import msgspec

from stack.kube.access import Access
from stack.kube.objects import Event, Metadata, ObjectList, Pod, Status

_Object = TypeVar("_Object")

CONFLICT, GONE = 409, 410
MANAGER = "kvdeck"  # as whom it is in managedFields
NOTHING: Mapping[str, str] = {}
_JSON = {"content-type": "application/json"}
_MERGE = {"content-type": "application/merge-patch+json"}
_PAGE = 500
# A watch is begun anew this often, so that one whose connection died without a word is not waited for.
_WATCH_SECONDS = 60
_ANSWER_SECONDS = 10.0


class KubeError(RuntimeError):
    """The API server refused, or said what is not understood; `status` is HTTP's, 0 for the latter."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(f"{status} {message}" if status else message)
        self.status = status


class _Bookmark(msgspec.Struct, frozen=True):
    metadata: Metadata


class _Bearer(httpx.Auth):
    def __init__(self, access: Access) -> None:
        self._access = access

    def auth_flow(self, request: httpx.Request) -> Generator[httpx.Request, httpx.Response, None]:
        if (value := self._access.authorization()) is not None:
            request.headers["authorization"] = value
        yield request


def client(access: Access, transport: httpx.AsyncBaseTransport | None = None) -> httpx.AsyncClient:
    """A client of the API server; every answer and every part of one has a deadline. `transport` None is the network."""
    return httpx.AsyncClient(
        base_url=access.url, auth=_Bearer(access), verify=access.tls, trust_env=False, timeout=_ANSWER_SECONDS, transport=transport
    )


async def list_pods(http: httpx.AsyncClient, namespace: str, selector: str) -> tuple[list[Pod], str]:
    """The pods of `namespace` ("" is all) that `selector` matches, and the version a watch goes on from.

    Raises KubeError, httpx.HTTPError.
    """
    return await list_objects(http, _path(namespace), Pod, {"labelSelector": selector})


async def list_objects(
    http: httpx.AsyncClient, path: str, kind: type[_Object], asked: Mapping[str, str] = NOTHING
) -> tuple[list[_Object], str]:
    """All objects at `path`, page by page, and the version a watch goes on from. Raises KubeError, httpx.HTTPError."""
    found: list[_Object] = []
    following = ""
    while True:
        page = {"limit": str(_PAGE), "continue": following} if following else {"limit": str(_PAGE)}
        answer = await http.get(path, params={**asked, **page})
        _refuse(answer.status_code, answer.content)
        listed = _decoded(answer.content, ObjectList[kind])  # type: ignore[valid-type]  # msgspec reads it at run time
        found += listed.items
        if not (following := listed.metadata.continue_):
            return found, listed.metadata.resource_version


async def get_object(http: httpx.AsyncClient, path: str, kind: type[_Object]) -> _Object:
    """The object at `path`. Raises KubeError, httpx.HTTPError."""
    answer = await http.get(path)
    _refuse(answer.status_code, answer.content)
    return _decoded(answer.content, kind)


async def replace(http: httpx.AsyncClient, path: str, document: object, *, dry_run: bool = False) -> None:
    """Put `document` at `path`. Raises KubeError (409: it is no more at the version that `document` says), httpx.HTTPError."""
    answer = await http.put(path, content=msgspec.json.encode(document), headers=_JSON, params=_asked(dry_run))
    _refuse(answer.status_code, answer.content)


async def merge(http: httpx.AsyncClient, path: str, patch: object, *, dry_run: bool = False) -> bytes:
    """Merge `patch` (RFC 7396) into the object at `path`; the object then, as JSON. Raises KubeError, httpx.HTTPError."""
    answer = await http.patch(path, content=msgspec.json.encode(patch), headers=_MERGE, params=_asked(dry_run))
    _refuse(answer.status_code, answer.content)
    return answer.content


def _asked(dry_run: bool) -> dict[str, str]:
    return {"fieldManager": MANAGER, **({"dryRun": "All"} if dry_run else {})}


async def watch_pods(
    http: httpx.AsyncClient, namespace: str, selector: str, version: str
) -> AsyncIterator[tuple[str, Pod | None, str]]:
    """What happens to them after `version`: the event's type, its pod (None of a bookmark), the version it leads to.

    Ends after a minute; go on from the last version then. Raises KubeError (410: list again), httpx.HTTPError.
    """
    asked = {"watch": "1", "allowWatchBookmarks": "true", "resourceVersion": version, "timeoutSeconds": str(_WATCH_SECONDS)}
    timeout = httpx.Timeout(_ANSWER_SECONDS, read=_WATCH_SECONDS + _ANSWER_SECONDS)
    async with http.stream("GET", _path(namespace), params={"labelSelector": selector, **asked}, timeout=timeout) as answer:
        if answer.status_code != httpx.codes.OK:
            _refuse(answer.status_code, await answer.aread())
        async for line in answer.aiter_lines():
            yield _event(line.encode())


def _event(line: bytes) -> tuple[str, Pod | None, str]:
    event = _decoded(line, Event)
    if event.type == "ERROR":
        status = _decoded(event.object, Status)
        raise KubeError(status.code, status.message)
    if event.type == "BOOKMARK":
        return event.type, None, _decoded(event.object, _Bookmark).metadata.resource_version
    pod = _decoded(event.object, Pod)
    return event.type, pod, pod.metadata.resource_version


def _path(namespace: str) -> str:
    return f"/api/v1/namespaces/{quote(namespace, safe='')}/pods" if namespace else "/api/v1/pods"


def _refuse(status: int, body: bytes) -> None:
    if status != httpx.codes.OK:
        try:
            message = msgspec.json.decode(body, type=Status).message
        except msgspec.DecodeError:
            message = ""
        raise KubeError(status, message or "without a reason")


def _decoded(document: bytes | msgspec.Raw, kind: type[_Object]) -> _Object:
    try:
        return msgspec.json.decode(document, type=kind)
    except msgspec.DecodeError as error:
        raise KubeError(0, f"not understood: {error}") from error
