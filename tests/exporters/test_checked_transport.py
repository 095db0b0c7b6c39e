"""What was checked is what is connected to."""

from collections.abc import Sequence

import httpx
import pytest

from exporters.allowed import RefusedError, allowed
from exporters.checked_transport import CheckedTransport


class Names:
    """Each question about a name gets the next answer."""

    def __init__(self, *answers: str) -> None:
        self.answers = list(answers)

    async def __call__(self, host: str, port: int) -> Sequence[str]:
        return [self.answers.pop(0)]


class Wire:
    """What was sent on."""

    def __init__(self, status: int = 200) -> None:
        self.status = status
        self.sent: list[httpx.Request] = []

    def transport(self, names: Names) -> CheckedTransport:
        return CheckedTransport(allowed(["10.0.0.0/8"]), httpx.MockTransport(self._answer), names)

    def _answer(self, request: httpx.Request) -> httpx.Response:
        self.sent.append(request)
        return httpx.Response(self.status, headers={"location": "http://169.254.169.254/"})


async def test_a_request_goes_to_the_address_and_names_the_host() -> None:
    wire = Wire()
    async with httpx.AsyncClient(transport=wire.transport(Names("10.0.0.7"))) as client:
        await client.get("https://llm-0.svc:8443/metrics")
    (sent,) = wire.sent
    assert (str(sent.url), sent.headers["host"], sent.extensions["sni_hostname"]) == (
        "https://10.0.0.7:8443/metrics", "llm-0.svc:8443", "llm-0.svc",
    )  # fmt: skip


async def test_a_name_that_means_another_address_a_moment_later_is_checked_again() -> None:
    wire = Wire()
    async with httpx.AsyncClient(transport=wire.transport(Names("10.0.0.7", "169.254.169.254"))) as client:
        await client.get("http://rebound/metrics")
        with pytest.raises(RefusedError):
            await client.get("http://rebound/metrics")
    assert [request.url.host for request in wire.sent] == ["10.0.0.7"]


async def test_a_redirect_is_not_followed() -> None:
    wire = Wire(302)
    async with httpx.AsyncClient(transport=wire.transport(Names("10.0.0.7"))) as client:
        answer = await client.get("http://llm-0/metrics")
    assert answer.status_code == 302
    assert len(wire.sent) == 1
