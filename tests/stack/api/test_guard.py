from __future__ import annotations

import asyncio
import re
from pathlib import Path

import pytest

from stack.api.guard import NotLoopbackError, check_listen, loopback
from stack.api.permit import OPEN_PATHS, Permitted
from stack.control.access import Grant, Role
from tests.grants import EVERYBODY, Known, bearer, grant
from tests.stack.api.deck import deck


@pytest.mark.parametrize("host", ["127.0.0.1", "127.8.8.8", "localhost", "::1", "[::1]"])
def test_loopback_needs_nothing(host: str) -> None:
    assert loopback(host)
    check_listen(host, tokens=False, tls=False)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "10.0.0.7", "example.org", "", "127.0.0.1.example.org"])
def test_the_network_needs_tokens_and_encryption_or_a_word_that_it_is_elsewhere(host: str) -> None:
    with pytest.raises(NotLoopbackError, match="needs --tokens"):
        check_listen(host, tokens=False, tls=True, insecure=True)
    with pytest.raises(NotLoopbackError, match="--tls-cert and --tls-key"):
        check_listen(host, tokens=True, tls=False)
    check_listen(host, tokens=True, tls=True)
    check_listen(host, tokens=True, tls=False, insecure=True)


@pytest.mark.parametrize("sent", [None, "", "operator", "Bearer", "Bearer wrong", "Bearer operators", "Basic operator", "Bearer ü"])
async def test_every_path_but_the_open_ones_needs_a_token(tmp_path: Path, sent: str | None) -> None:
    async with deck(tmp_path, tokens=EVERYBODY) as it:
        headers = [] if sent is None else [(b"Authorization", sent.encode())]
        for method, path in [*_asked(it.control.app.routes), ("GET", "/v1/nothing"), ("GET", "/v1/state/")]:
            if path not in OPEN_PATHS:
                answer = await it.http.request(method, path, headers=headers)
                assert (path, answer.status_code, answer.json()["error"]["code"]) == (path, 401, "unauthorized")
                assert answer.headers["www-authenticate"] == "Bearer"


@pytest.mark.parametrize("path", ["/v1/routers/r/config?version={}&wait=30", "/v1/routers/r/cache?epoch=1&since=0&wait=0.02"])
@pytest.mark.parametrize("after", [[], [grant("router", Role.VIEWER)]])
async def test_a_long_poll_of_a_token_that_was_taken_back_or_changed_tells_nothing(
    tmp_path: Path, path: str, after: list[Grant]
) -> None:
    known = Known([grant("router", Role.ROUTER), grant("ops", Role.OPERATOR)])
    async with deck(tmp_path, tokens=known) as it:
        url = path.format(it.control.board.version)
        polling = asyncio.create_task(it.http.get(url, headers=bearer("router")))
        await asyncio.sleep(0.01)
        known.tokens = after
        it.control.board.try_out("smollm2", None)
        answer = await polling
        assert (answer.status_code, answer.json()["error"]["code"]) == (401, "unauthorized")


@pytest.mark.parametrize("role", list(Role))
async def test_a_role_opens_what_it_includes_and_nothing_else(tmp_path: Path, role: Role) -> None:
    async with deck(tmp_path, tokens=EVERYBODY) as it:
        it.http.headers.update(bearer(role.value))
        before = await it.state()
        refused = {}
        for route in it.control.app.routes:
            assert isinstance(route, Permitted)
            if route.needs is None or "stream" in route.path:
                continue
            for method, path in _asked([route]):
                answer = await it.http.request(method, path)
                refused[method, path] = answer.status_code == 403
                assert refused[method, path] == (not role.may(route.needs)), (method, path)
                assert not refused[method, path] or f"takes the role {route.needs}" in answer.json()["error"]["message"]
        assert any(refused.values()) == (role is not Role.ADMIN)
        assert await it.state() == before


async def test_only_what_looks_is_a_viewers(tmp_path: Path) -> None:
    async with deck(tmp_path, tokens=EVERYBODY) as it:
        seen = {
            route.path: route.methods
            for route in it.control.app.routes
            if isinstance(route, Permitted) and route.needs is Role.VIEWER
        }
        assert {method for methods in seen.values() for method in methods or ()} == {"GET", "HEAD"}


async def test_a_change_is_the_tokens_whatever_the_request_says(tmp_path: Path) -> None:
    async with deck(tmp_path, tokens=EVERYBODY) as it:
        it.http.headers.update(bearer("operator") | {"Host": "control.example.org", "X-Kvdeck-Actor": "ann"})
        assert (await it.patch({"strategy": "session"})).status_code == 200
        record = (await it.http.get("/v1/audit")).json()["records"][0]
        assert (record["actor"], record["outcome"]) == ("operator", "applied")


async def test_who_is_turned_away_is_counted(tmp_path: Path) -> None:
    async with deck(tmp_path, tokens=Known([grant("ann", Role.VIEWER)], faults=2)) as it:
        await it.http.get("/v1/state")
        await it.http.patch("/v1/state", headers=bearer("ann"))
        await it.http.get("/v1/state", headers=bearer("ann"))
        text = (await it.http.get("/metrics")).text
        assert 'kvdeck_control_refused_requests_total{reason="unauthorized"} 1.0' in text
        assert 'kvdeck_control_refused_requests_total{reason="forbidden"} 1.0' in text
        assert "kvdeck_control_token_file_faults_total 2.0" in text


async def test_a_revoked_token_opens_nothing(tmp_path: Path) -> None:
    now: list[Grant] = [grant("ann", Role.VIEWER)]
    async with deck(tmp_path, tokens=Known(now)) as it:
        it.http.headers.update(bearer("ann"))
        assert (await it.http.get("/v1/state")).status_code == 200
        now.clear()
        assert (await it.http.get("/v1/state")).status_code == 401


async def test_probes_and_prometheus_need_no_token(tmp_path: Path) -> None:
    async with deck(tmp_path, tokens=EVERYBODY) as it:
        assert [(await it.http.get(path)).status_code for path in ("/health", "/metrics")] == [200, 200]


@pytest.mark.parametrize(
    "headers", [{"Origin": "https://evil.example"}, {"Origin": "null"}, {"Host": "evil.example:8010"}, {"Host": ""}]
)
async def test_without_tokens_web_pages_are_kept_out(tmp_path: Path, headers: dict[str, str]) -> None:
    async with deck(tmp_path) as it:
        answer = await it.http.post("/v1/routers/r/report", headers=headers, content=b"{}")
        assert (answer.status_code, answer.json()["error"]["code"]) == (403, "forbidden")


@pytest.mark.parametrize("host", ["localhost:8010", "127.0.0.1", "[::1]:8010"])
async def test_this_machine_is_let_in_under_all_its_names(tmp_path: Path, host: str) -> None:
    async with deck(tmp_path) as it:
        assert (await it.http.get("/v1/state", headers={"Host": host})).status_code == 200


def _asked(routes: object) -> list[tuple[str, str]]:
    """Every method of every path, with a name where the path takes one."""
    assert isinstance(routes, list)
    return [
        (method, re.sub("{[a-z]+}", "x", route.path))
        for route in routes
        for method in sorted(route.methods or ())
        if method != "HEAD"
    ]
