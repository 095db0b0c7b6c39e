"""Who is let in."""

from pathlib import Path

import bcrypt
import httpx
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from exporters.allowed import allowed
from exporters.app import application
from exporters.basic_auth import BasicAuth
from exporters.serving import guarded
from exporters.settings import Settings

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


async def test_a_user_that_does_not_exist_takes_a_password_s_time_and_is_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[bytes] = []

    def matches(password: bytes, hashed: bytes) -> bool:
        compared.append(hashed)
        return bcrypt_checks(password, hashed)

    bcrypt_checks = bcrypt.checkpw
    monkeypatch.setattr(bcrypt, "checkpw", matches)
    async with client(("nobody", "right")) as one:
        assert [(await one.get("/metrics")).status_code for _ in range(2)] == [401, 401]
    assert [hashed[:7] for hashed in compared] == [b"$2b$10$", b"$2b$10$"]


async def test_the_pages_of_the_exporter_are_behind_its_web_configuration(tmp_path: Path) -> None:
    file = tmp_path / "web.yml"
    file.write_text(f"basic_auth_users: {{prometheus: {USERS['prometheus']}}}\n")
    settings = Settings("127.0.0.1", 0, (), {}, 4.0, probe=allowed(["10.0.0.0/8"]))
    app, tls = guarded(application(settings), file)
    assert tls == {}
    asked = {}
    for auth in (None, ("prometheus", "right")):
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://x", auth=auth) as one:
            asked[auth] = [(await one.get(page)).status_code for page in ("/metrics", "/probe", "/healthz")]
    assert asked == {None: [401, 401, 200], ("prometheus", "right"): [200, 400, 200]}


def test_without_a_web_configuration_the_pages_are_open() -> None:
    app = Starlette()
    assert guarded(app, None) == (app, {})
