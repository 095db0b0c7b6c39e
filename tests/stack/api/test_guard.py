from __future__ import annotations

from pathlib import Path

import pytest

from stack.api.guard import NotLoopbackError, Token, check_listen, loopback
from tests.stack.api.deck import deck

TOKEN = Token("operator", "s3cret")


@pytest.mark.parametrize("host", ["127.0.0.1", "127.8.8.8", "localhost", "::1", "[::1]"])
def test_loopback_needs_no_token(host: str) -> None:
    assert loopback(host)
    check_listen(host, None)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "10.0.0.7", "example.org", "", "127.0.0.1.example.org"])
def test_the_network_needs_a_token(host: str) -> None:
    with pytest.raises(NotLoopbackError, match="needs --token-file"):
        check_listen(host, None)
    check_listen(host, TOKEN)


@pytest.mark.parametrize("sent", [None, "", "s3cret", "Bearer", "Bearer wrong", "Bearer s3crets", "Basic s3cret", "Bearer ü"])
@pytest.mark.parametrize(
    ("method", "path"),
    [("GET", "/v1/state"), ("PATCH", "/v1/state"), ("GET", "/v1/audit"), ("GET", "/v1/decisions"),
     ("GET", "/v1/routers/r/config"), ("POST", "/v1/routers/r/report"), ("GET", "/v1/nothing")],
)  # fmt: skip
async def test_every_path_needs_the_token(tmp_path: Path, sent: str | None, method: str, path: str) -> None:
    async with deck(tmp_path, token=TOKEN) as it:
        headers = [] if sent is None else [(b"Authorization", sent.encode())]
        answer = await it.http.request(method, path, headers=headers)
        assert (answer.status_code, answer.json()["error"]["code"]) == (401, "unauthorized")
        assert answer.headers["www-authenticate"] == "Bearer"


async def test_the_token_opens_and_names_the_actor(tmp_path: Path) -> None:
    async with deck(tmp_path, token=TOKEN) as it:
        it.http.headers["Authorization"] = "bearer s3cret"
        it.http.headers["Host"] = "control.example.org"
        assert (await it.patch({"strategy": "session"})).status_code == 200
        record = (await it.http.get("/v1/audit")).json()["records"][0]
        assert (record["actor"], record["outcome"]) == ("operator", "applied")


async def test_probes_and_prometheus_need_no_token(tmp_path: Path) -> None:
    async with deck(tmp_path, token=TOKEN) as it:
        assert [(await it.http.get(path)).status_code for path in ("/health", "/metrics")] == [200, 200]


@pytest.mark.parametrize(
    "headers", [{"Origin": "https://evil.example"}, {"Origin": "null"}, {"Host": "evil.example:8010"}, {"Host": ""}]
)
async def test_without_a_token_web_pages_are_kept_out(tmp_path: Path, headers: dict[str, str]) -> None:
    async with deck(tmp_path) as it:
        answer = await it.http.post("/v1/routers/r/report", headers=headers, content=b"{}")
        assert (answer.status_code, answer.json()["error"]["code"]) == (403, "forbidden")


@pytest.mark.parametrize("host", ["localhost:8010", "127.0.0.1", "[::1]:8010"])
async def test_this_machine_is_let_in_under_all_its_names(tmp_path: Path, host: str) -> None:
    async with deck(tmp_path) as it:
        assert (await it.http.get("/v1/state", headers={"Host": host})).status_code == 200
