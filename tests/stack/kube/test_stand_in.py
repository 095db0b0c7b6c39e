"""The stand-in answers what a real API server was recorded to answer, request by request."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import httpx
import pytest
import yaml

from tests.stack.kube.stand_in.answers import Answer, Document
from tests.stack.kube.stand_in.api_server import StandIn
from tests.stack.kube.stand_in.rights import ADMIN, NOBODY, User
from tests.stack.kube.stand_in.transport import InProcess, served
from tests.stack.kube.stand_in.watching import Watch

ROOT = Path(__file__).parents[3]
HERE = ROOT / "tests" / "data" / "kube_api.json"
SHARED = ROOT.parent / "shared" / "fixtures"
LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
ENDPOINTS = "/apis/inference.sagemaker.aws.amazon.com/v1/namespaces/default/inferenceendpointconfigs"
PODS = "/api/v1/namespaces/default/pods"
# Enough of the operator's definition that its paths are there.
NAMES_ONLY = {
    "spec": {
        "group": "inference.sagemaker.aws.amazon.com",
        "names": {"plural": "inferenceendpointconfigs", "kind": "InferenceEndpointConfig"},
        "versions": [{"name": "v1", "served": True, "schema": {"openAPIV3Schema": {"x-kubernetes-preserve-unknown-fields": True}}}],
    }
}  # fmt: skip


def recorded(path: Path) -> list[Document]:
    return [one for one in json.loads(path.read_text()) if "request" in one]


def hyperpod(name: str) -> Path:
    path = SHARED / name
    return path if path.exists() else pytest.skip(f"{path} is not here: it is the operator's, and not kept in this repository")


def ask(
    server: StandIn, method: str, path: str, body: Any = None, kind: str = "application/json", token: str = "admin"
) -> Document:
    answer = sent(server, {"method": method, "path": path, "request": body, "content_type": kind, "user": token})
    assert answer.status < 300, answer.document
    return answer.document


def sent(server: StandIn, one: Document) -> Answer:
    url = urlsplit(one["path"])
    headers = {"authorization": f"Bearer {one['user']}", "content-type": one["content_type"] or "", "user-agent": "Python-urllib/3"}
    body = b"" if one["request"] is None else json.dumps(one["request"]).encode()
    answer = server.answer(one["method"], url.path, dict(parse_qsl(url.query)), headers, body)
    assert isinstance(answer, Answer)
    return answer


def plain(value: Any) -> Any:
    """Without what differs from run to run; of managedFields who manages the replicas."""
    if isinstance(value, list):
        return [plain(item) for item in value]
    if not isinstance(value, dict):
        return value
    result = {key: plain(item) for key, item in value.items() if key not in ("uid", "creationTimestamp", "deletionTimestamp")}
    if "managedFields" in result:
        result["managedFields"] = [
            (entry["manager"], entry["operation"], "f:replicas" in entry["fieldsV1"].get("f:spec", {}))
            for entry in value["managedFields"]
        ]
    return result


@pytest.mark.parametrize("part", [0, 1], ids=["scale of a Deployment, and refusals", "life of a pod, scale of a StatefulSet"])
def test_it_answers_as_recorded(part: int) -> None:
    everything = recorded(HERE)
    second = next(number for number, one in enumerate(everything) if one["name"].startswith("list pods"))
    server = StandIn()
    server.define(NAMES_ONLY)
    server.shelf.version = (207, 188)[part]
    for one in (everything[:second], everything[second:])[part]:
        answer = sent(server, one)
        assert (one["name"], answer.status, plain(answer.document)) == (one["name"], one["status"], plain(one["response"]))


def test_custom_resources_are_filled_in_pruned_and_refused_as_recorded() -> None:
    server = StandIn()
    server.define(yaml.load(hyperpod("hyperpod/inferenceendpointconfigs.crd.yaml").read_text(), LOADER))
    server.shelf.version = 201
    for one in recorded(hyperpod("kube/recorded.json")):
        answer = sent(server, one)
        assert (one["name"], answer.status, plain(answer.document)) == (one["name"], one["status"], plain(one["response"]))


async def test_a_watch_tells_what_was_recorded() -> None:
    server = StandIn()
    server.shelf.version = 188
    for one in recorded(HERE):
        if PODS in one["path"]:
            sent(server, one)
    query = {"watch": "1", "allowWatchBookmarks": "true", "resourceVersion": "188", "labelSelector": "app=decode"}
    watch = server.answer("GET", PODS, {**query, "timeoutSeconds": "0"}, {"authorization": "Bearer admin"}, b"")
    assert isinstance(watch, Watch)
    told = [json.loads(line) async for line in watch.lines()]
    was = next(one for one in json.loads(HERE.read_text()) if one["name"].startswith("watch pods with bookmarks"))["events"]
    assert [plain(event) for event in told] == [plain(event) for event in was[: len(told)]]
    assert {event["type"] for event in was[len(told) :]} == {"BOOKMARK"}


async def test_a_watch_from_a_version_that_is_forgotten_is_gone() -> None:
    server = StandIn()
    server.compact()
    query = {"watch": "1", "resourceVersion": "1", "timeoutSeconds": "0"}
    watch = server.answer("GET", PODS, query, {"authorization": "Bearer admin"}, b"")
    assert isinstance(watch, Watch)
    (event,) = [json.loads(line) async for line in watch.lines()]
    assert (event["type"], event["object"]["code"], event["object"]["reason"]) == ("ERROR", 410, "Expired")


def test_who_changed_a_field_last_manages_it() -> None:
    server = StandIn()
    deployment = next(one for one in recorded(HERE) if one["name"] == "create Deployment")
    sent(server, deployment)
    path = f"{deployment['path']}/decode/scale?fieldManager=kvdeck"
    ask(server, "PATCH", path, {"spec": {"replicas": 5}}, "application/merge-patch+json")
    managed = ask(server, "GET", f"{deployment['path']}/decode")["metadata"]["managedFields"]
    assert {entry["manager"]: "f:replicas" in entry["fieldsV1"]["f:spec"] for entry in managed} == {
        "Python-urllib": False, "kvdeck": True,
    }  # fmt: skip


def test_a_role_allows_what_its_rules_say() -> None:
    reader = User("reader", ({"apiGroups": [""], "resources": ["pods"], "verbs": ["get", "list"]},), "default")
    server = StandIn({"reader": reader, "admin": ADMIN, "dev": NOBODY})
    assert ask(server, "GET", PODS, token="reader")["items"] == []
    refused = sent(server, {"method": "DELETE", "path": f"{PODS}/a", "request": None, "content_type": None, "user": "reader"})
    assert refused.status == 403
    assert refused.document["message"] == (
        'pods "a" is forbidden: User "reader" cannot delete resource "pods" in API group "" in the namespace "default"'
    )


async def test_it_serves_over_http_as_without_a_socket() -> None:
    server = StandIn()
    headers = {"authorization": "Bearer admin"}
    pod = {"metadata": {"name": "a"}, "spec": {"containers": [{"name": "c", "image": "x"}]}}
    async with served(server) as url, httpx.AsyncClient(base_url=url, headers=headers, trust_env=False) as http:
        assert (await http.post(PODS, json=pod)).status_code == 201
        inside = httpx.AsyncClient(base_url="http://kube", headers=headers, transport=InProcess(server))
        assert (await http.get(PODS)).json() == (await inside.get(PODS)).json()
        query = {"watch": "1", "resourceVersion": "0", "timeoutSeconds": "0.01", "allowWatchBookmarks": "1"}
        lines = [json.loads(line) async for line in (await http.get(PODS, params=query)).aiter_lines()]
        assert [line["type"] for line in lines] == ["ADDED", "BOOKMARK"]
        async with http.stream("GET", PODS, params={"watch": "1", "resourceVersion": "0"}) as answer:
            lines_of_it = answer.aiter_lines()
            await anext(lines_of_it)
            server.shelf.cut()
            with pytest.raises(httpx.RemoteProtocolError):
                await anext(lines_of_it)
