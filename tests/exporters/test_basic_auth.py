"""Who is let in."""

import bcrypt
import httpx
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from exporters.basic_auth import BasicAuth

USERS = {"prometheus": bcrypt.hashpw(b"right", bcrypt.gensalt(4)).decode()}


async def page(request: Request) -> Response:
    return PlainTextResponse("in")


def client(auth: tuple[str, str] | None = None) -> httpx.AsyncClient:
    app = BasicAuth(Starlette(routes=[Route("/metrics", page), Route("/healthz", page)]), USERS)
    return httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://x", auth=auth)


async def test_who_knows_the_password_is_let_in_again_and_again() -> None:
    async with client(("prometheus", "right")) as one:
        assert [(await one.get("/metrics")).status_code for _ in range(2)] == [200, 200]


@pytest.mark.parametrize("auth", [None, ("prometheus", "wrong"), ("nobody", "right"), ("", ""), ("prometheus", "x" * 100)])
async def test_others_are_asked(auth: tuple[str, str] | None) -> None:
    async with client(auth) as one:
        answer = await one.get("/metrics")
    assert (answer.status_code, answer.headers["www-authenticate"]) == (401, 'Basic realm="kvdeck exporter"')


@pytest.mark.parametrize("header", ["Basic", "Basic !!!", "Basic cHJvbWV0aGV1cw==", "Bearer x", "Basic /w=="])
async def test_a_malformed_header_is_no_password(header: str) -> None:
    async with client() as one:
        assert (await one.get("/metrics", headers={"authorization": header})).status_code == 401


async def test_whether_the_process_answers_is_open() -> None:
    async with client() as one:
        assert (await one.get("/healthz")).status_code == 200
