"""The line to control speaks the link's document, and calls everything else unavailable."""

import httpx
import msgspec
import pytest

from stack.adapters.control_link import ControlLink, ControlUnavailableError, ReportRefusedError
from stack.control.link import RouterConfig, RouterReport
from stack.control.skew import Received
from stack.control.state import ModelState

CONFIG = RouterConfig(version=4, generation=3, models={"m": ModelState(strategy="session")}, draining=("decode-1",))


def _link(answer: httpx.Response, seen: list[httpx.Request]) -> ControlLink:
    def handle(request: httpx.Request) -> httpx.Response:
        seen.append(request)
        return answer

    return ControlLink("http://control", "router/0", token="secret", transport=httpx.MockTransport(handle))


async def test_a_changed_configuration_is_fetched() -> None:
    seen: list[httpx.Request] = []
    async with _link(httpx.Response(200, content=msgspec.json.encode(CONFIG)), seen) as link:
        assert await link.config(3, 20.0) == Received(CONFIG)
    assert str(seen[0].url) == "http://control/v1/routers/router%2F0/config?version=3&wait=20"
    assert seen[0].headers["authorization"] == "Bearer secret"


async def test_no_change_within_the_wait_is_none() -> None:
    async with _link(httpx.Response(204), []) as link:
        assert await link.config(4, 0.0) is None


@pytest.mark.parametrize("answer", [httpx.Response(500), httpx.Response(401), httpx.Response(200, content=b"<html>")])
async def test_anything_else_is_unavailable(answer: httpx.Response) -> None:
    async with _link(answer, []) as link:
        with pytest.raises(ControlUnavailableError):
            await link.config(4, 0.0)


async def test_nobody_answering_is_unavailable() -> None:
    def refuse(request: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("refused", request=request)

    async with ControlLink("http://control", "router-0", transport=httpx.MockTransport(refuse)) as link:
        with pytest.raises(ControlUnavailableError, match="ConnectError"):
            await link.report(RouterReport(id="router-0", version=1, generation=1))


@pytest.mark.parametrize(("status", "refused"), [(400, True), (413, True), (422, True), (401, False), (404, False), (503, False)])
async def test_a_report_that_no_control_would_take_is_told_from_one_that_it_could_not(status: int, refused: bool) -> None:
    async with _link(httpx.Response(status), []) as link:
        with pytest.raises(ControlUnavailableError) as caught:
            await link.report(RouterReport(id="router/0", version=1, generation=1))
    assert isinstance(caught.value, ReportRefusedError) == refused


async def test_a_report_is_posted_whole() -> None:
    seen: list[httpx.Request] = []
    report = RouterReport(id="router/0", version=4, generation=3, dropped=2)
    async with _link(httpx.Response(204), seen) as link:
        await link.report(report)
    assert (seen[0].method, seen[0].url.path) == ("POST", "/v1/routers/router/0/report")
    assert msgspec.json.decode(seen[0].content, type=RouterReport) == report
