"""Engines' pods come, change and go; the API server may fail meanwhile."""

import asyncio
import logging

import httpx
import pytest

from stack.kube.access import Access
from stack.kube.discovery import EnginePods
from stack.kube.engine_pods import Selection
from tests.stack.kube.server import EXPIRED, FORBIDDEN, LIFE, LIST, Server, pod, pods, refusal, watch

ACCESS = Access("https://kube", "default", True, lambda: "Bearer t")


class Slept(Exception):
    """So often that the test has seen enough."""


class Pauses:
    """Remembers what engines were listed at each pause, and ends after `most` of them."""

    def __init__(self, found: EnginePods, most: int) -> None:
        self.found, self.most = found, most
        self.seconds: list[float] = []
        self.healthy: list[bool] = []
        self.engines: list[list[str] | None] = []

    async def __call__(self, seconds: float) -> None:
        self.seconds.append(seconds)
        self.healthy.append(self.found.healthy)
        changed = self.found.changed()
        self.engines.append(None if changed is None else [target.replica for target in changed])
        if len(self.seconds) == self.most:
            raise Slept
        await asyncio.sleep(0)


async def follow(server: Server, pauses: int, selection: Selection = Selection("app=decode")) -> Pauses:  # noqa: B008
    found = EnginePods(ACCESS, selection, server.transport())
    seen = Pauses(found, pauses)
    with pytest.raises(ExceptionGroup) as raised:
        await found.run(seen)
    assert raised.group_contains(Slept)
    return seen


async def test_a_recorded_pod_comes_and_goes() -> None:
    until_it_serves = [event for event in LIFE if event["type"] == "ADDED" or event["object"].get("status", {}).get("podIP")]
    server = Server(LIST, watch(until_it_serves[:2]), watch(LIFE))
    seen = await follow(server, 2)
    assert seen.engines == [["decode-0"], []]
    assert seen.healthy == [True, True]
    assert server.asked[0].url.path == "/api/v1/namespaces/default/pods"
    assert server.asked[0].headers["authorization"] == "Bearer t"
    assert [query.get("resourceVersion") for query in server.queries()] == [None, "188", "190"]
    assert {request.url.params["labelSelector"] for request in server.asked} == {"app=decode"}


async def test_a_watch_that_ends_goes_on_from_its_bookmark() -> None:
    bookmark = {"type": "BOOKMARK", "object": {"kind": "Pod", "metadata": {"resourceVersion": "500"}}}
    server = Server(pods(pod("a", "10.0.0.1")), watch([bookmark]), watch([]))
    seen = await follow(server, 2)
    assert seen.engines == [["a"], None]
    assert server.queries()[2]["resourceVersion"] == "500"


@pytest.mark.parametrize("gone", [watch([EXPIRED]), refusal(410, "too old")], ids=["in the stream", "at once"])
async def test_a_version_that_is_too_old_is_listed_anew_and_is_no_failure(gone: httpx.Response) -> None:
    seen = await follow(Server(pods(pod("a", "10.0.0.1")), gone, pods(pod("b", "10.0.0.2")), watch([])), 2)
    assert seen.engines == [["a"], ["b"]]
    assert seen.healthy == [True, True]


async def test_a_connection_that_breaks_keeps_the_engines_until_they_are_listed_anew(caplog: pytest.LogCaptureFixture) -> None:
    server = Server(
        pods(pod("a", "10.0.0.1")), httpx.ReadTimeout("silent"), httpx.ConnectError("refused"), httpx.ConnectError("refused"),
        pods(pod("b", "10.0.0.2")), watch([]),
    )  # fmt: skip
    with caplog.at_level(logging.INFO):
        seen = await follow(server, 4)
    assert seen.engines == [["a"], None, None, ["b"]]
    assert seen.healthy == [False, False, False, True]
    assert seen.seconds == [1.0, 2.0, 4.0, 1.0]
    assert [record.message for record in caplog.records if record.name.startswith("stack")] == [
        "engines' pods are followed", "engines' pods cannot be followed", "engines' pods are followed again",
    ]  # fmt: skip


async def test_who_may_not_list_pods_has_no_engines_and_hears_why(caplog: pytest.LogCaptureFixture) -> None:
    server = Server(*[httpx.Response(403, json=FORBIDDEN["response"]) for _ in range(7)])
    seen = await follow(server, 7)
    assert seen.engines == [None] * 7
    assert seen.healthy == [False] * 7
    assert seen.seconds[-2:] == [30.0, 30.0]
    assert [vars(record)["detail"][:23] for record in caplog.records] == ["403 inferenceendpointco"]


async def test_pages_are_put_together() -> None:
    server = Server(pods(pod("a", "10.0.0.1"), following="next"), pods(pod("b", "10.0.0.2")), watch([]))
    assert (await follow(server, 1)).engines == [["a", "b"]]
    assert [query.get("continue") for query in server.queries()] == [None, "next", None]


async def test_nothing_is_said_before_every_namespace_was_listed() -> None:
    server = Server(pods(pod("a", "10.0.0.1", namespace="one")), refusal(500))
    seen = await follow(server, 1, Selection("app=decode", ("one", "two")))
    assert seen.engines == [None]
    assert seen.healthy == [False]


async def test_all_namespaces_are_one_list() -> None:
    server = Server(pods(pod("a", "10.0.0.1", namespace="one"), pod("a", "10.0.0.2", namespace="two")), watch([]))
    assert (await follow(server, 1, Selection("app=decode", ("*",)))).engines == [["one/a", "two/a"]]
    assert server.asked[0].url.path == "/api/v1/pods"


async def test_what_is_not_understood_is_a_failure_and_no_end() -> None:
    seen = await follow(Server(httpx.Response(200, content=b"<html>"), pods(pod("a", "10.0.0.1")), watch([])), 2)
    assert seen.engines == [None, ["a"]]
    assert seen.healthy == [False, True]


async def test_who_may_list_but_not_watch_lists_ever_more_rarely_and_hears_it_once(caplog: pytest.LogCaptureFixture) -> None:
    answers = [
        answer for number in range(3) for answer in (pods(pod(f"p{number}", "10.0.0.1")), refusal(403, "watch is forbidden"))
    ]
    with caplog.at_level(logging.INFO):
        seen = await follow(Server(*answers), 3)
    assert seen.engines == [["p0"], ["p1"], ["p2"]]
    assert seen.healthy == [False] * 3
    assert seen.seconds == [1.0, 2.0, 4.0]
    assert [record.message for record in caplog.records if record.name.startswith("stack")] == [
        "engines' pods are followed", "engines' pods cannot be followed",
    ]  # fmt: skip
