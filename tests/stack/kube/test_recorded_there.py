"""A real API server answers as the recordings say, which the stand-in is held to."""

from __future__ import annotations

import json
from typing import Any

import httpx
import pytest

from tests.stack.kube.hyperpod.samples import crd
from tests.stack.kube.servers import NAMESPACE, Servers, reached
from tests.stack.kube.test_stand_in import HERE, hyperpod, recorded

pytestmark = pytest.mark.usefixtures("api_server")


async def answers(http: httpx.AsyncClient, recordings: list[dict[str, Any]]) -> list[tuple[str, int]]:
    """Name and status of each, as an administrator asks them in the namespace of the tests."""
    told = []
    for one in recordings:
        path = one["path"].replace("/namespaces/default/", f"/namespaces/{NAMESPACE}/")
        body = (
            json.dumps(one["request"]).replace('"namespace": "default"', f'"namespace": "{NAMESPACE}"') if one["request"] else None
        )
        answer = await http.request(one["method"], path, content=body, headers={"content-type": one["content_type"] or ""})
        told.append((one["name"], answer.status_code))
    return told


async def test_statuses_are_as_recorded() -> None:
    way = await reached()
    recordings = [one for one in recorded(HERE) if one["user"] == "admin" and "inferenceendpointconfigs" not in one["path"]]
    assert await answers(way.hands.http, recordings) == [(one["name"], one["status"]) for one in recordings]


async def test_statuses_of_custom_resources_are_as_recorded() -> None:
    way = await reached()
    await way.define(crd())
    recordings = [one for one in recorded(hyperpod("kube/recorded.json")) if one["user"] == "admin"]
    if Servers.real is None:
        way.server.shelf.version = 300  # above the versions that are called stale
    assert await answers(way.hands.http, recordings) == [(one["name"], one["status"]) for one in recordings]
