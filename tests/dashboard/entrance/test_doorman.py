"""The doorman, in front of an app that says what it was asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from urllib.parse import urlencode

import httpx
import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route, WebSocketRoute
from starlette.testclient import TestClient, WebSocketTestSession
from starlette.websockets import WebSocket, WebSocketDisconnect
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from dashboard.entrance.checking import Client
from dashboard.entrance.doorman import WRONG_SECONDS, Doorman, House
from dashboard.entrance.form import Said
from dashboard.entrance.sessions import Sessions
from dashboard.settings import SettingsError
from stack.api.errors import error_response, json_response
from stack.api.experiment_client import ExperimentClient
from stack.api.self_schema import SelfView
from stack.control.access import Role

COOKIE = "kvdeck_8501"
SAME = {"Sec-Fetch-Site": "same-origin"}
PEOPLE = {"ann": Role.OPERATOR, "bob": Role.VIEWER, "router": Role.ROUTER}


def _control(request: httpx.Request) -> httpx.Response:
    """Knows each of PEOPLE by a token that is their name; `away` is a control that fails, `open` one without tokens."""
    token = request.headers["authorization"].removeprefix("Bearer ")
    if token == "away":
        raise httpx.ConnectError("nobody listens")
    if token == "open":
        answer = json_response(SelfView(name="anonymous", role=Role.ADMIN, tokens=False))
    elif token in PEOPLE:
        answer = json_response(SelfView(name=token, role=PEOPLE[token], tokens=True))
    else:
        answer = error_response(401, "unauthorized", "a valid bearer token is needed")
    return httpx.Response(answer.status_code, content=bytes(answer.body))


def _client(token: str) -> ExperimentClient:
    return ExperimentClient("http://control", token=token, transport=httpx.MockTransport(_control))


async def _page(request: Request) -> PlainTextResponse:
    return PlainTextResponse(f"page {request.url.path}")


class Served:
    """The app with its doorman; `waited` is how long wrong tokens were held back."""

    def __init__(
        self, *, client: Client | None = _client, base: str = "/", listening: str | None = "127.0.0.1", reached: str = "127.0.0.1"
    ) -> None:
        self.sessions = Sessions(lambda: 0.0)
        self.waited: list[float] = []
        house = House(
            sessions=self.sessions,
            client=client,
            base=base,
            listening=listening,
            cookie=COOKIE,
            allowed=("deck.example.org",),
        )
        self.heard: list[bytes] = []
        self.before_answer: Callable[[], object] = lambda: None
        routes = [WebSocketRoute(f"{base}_stcore/stream", self._stream), Route("/{path:path}", _page, methods=["GET", "PUT"])]
        app = Starlette(routes=routes, middleware=[Middleware(Doorman, house=lambda: house, pause=self._pause)])
        self.http = TestClient(app, base_url=f"http://{reached}:8501", follow_redirects=False)
        self.base, self.reached = base, reached

    async def _stream(self, websocket: WebSocket) -> None:
        """Says back what it is told, as Streamlit's own does."""
        await websocket.accept(subprotocol="streamlit")
        with suppress(WebSocketDisconnect):
            while True:
                self.heard.append(await websocket.receive_bytes())
                self.before_answer()
                await websocket.send_bytes(self.heard[-1])

    async def _pause(self, seconds: float) -> None:
        self.waited.append(seconds)

    def sign_in(self, token: str, onward: str = "/", headers: dict[str, str] = SAME) -> httpx.Response:
        body = urlencode({"token": token, "next": onward})
        return self.http.post(f"{self.base}sign-in", content=body, headers=headers)  # type: ignore[return-value]  # its own httpx

    def stream(self) -> WebSocketTestSession:
        headers = {"Cookie": "; ".join(f"{name}={value}" for name, value in self.http.cookies.items())}
        return self.http.websocket_connect(
            f"ws://{self.reached}:8501{self.base}_stcore/stream", ["streamlit", "xsrf", "session"], headers=headers
        )


@pytest.fixture
def served() -> Iterator[Served]:
    it = Served()
    yield it
    it.sessions.close()


def test_who_is_not_signed_in_gets_the_sign_in_page_and_nothing_else(served: Served) -> None:
    answer = served.http.get("/routing?range=1h&path=dpd")
    assert (answer.status_code, answer.headers["location"]) == (303, "/sign-in?next=%2Frouting%3Frange%3D1h%26path%3Ddpd")
    page = served.http.get(answer.headers["location"])
    assert page.status_code == 200
    assert '<input type="hidden" name="next" value="/routing?range=1h&amp;path=dpd">' in page.text
    assert page.headers["cache-control"] == "no-store"
    assert "default-src 'none'" in page.headers["content-security-policy"]
    for path in ("/static/index.js", "/_stcore/host-config", "/media/x"):
        assert served.http.get(path, headers={"Sec-Fetch-Mode": "cors"}).status_code == 401
    assert served.http.put("/_stcore/upload_file/x").status_code == 401
    assert served.http.get("/_stcore/health").status_code == 200


def test_a_token_opens_the_page_that_was_asked_for_and_the_cookie_does_not_hold_it(served: Served) -> None:
    answer = served.sign_in("ann", "/routing?range=1h")
    assert (answer.status_code, answer.headers["location"]) == (303, "/routing?range=1h")
    cookie = answer.headers["set-cookie"]
    assert cookie.startswith(f"{COOKIE}=")
    assert {"HttpOnly", "Path=/", "SameSite=strict"} == set(cookie.split("; ")[1:])
    assert "ann" not in cookie
    assert served.http.get("/routing").text == "page /routing"
    assert served.http.get("/routing").headers["x-frame-options"] == "SAMEORIGIN"
    assert served.http.get("/sign-in?next=/routing").headers["location"] == "/routing"


def test_a_page_loads_and_asks_nothing_of_elsewhere_whatever_is_written_in_it(served: Served) -> None:
    served.sign_in("ann")
    policy = dict(rule.split(" ", 1) for rule in served.http.get("/routing").headers["content-security-policy"].split("; "))
    assert policy == {
        "img-src": "'self' data: blob:",
        "media-src": "'self' data: blob:",
        "font-src": "'self' data:",
        "connect-src": "'self' ws: wss:",
        "frame-src": "'self'",
        "form-action": "'self'",
        "object-src": "'none'",
        "base-uri": "'self'",
        "frame-ancestors": "'self'",
    }


def test_over_https_the_cookie_is_for_https_alone(served: Served) -> None:
    assert "Secure" in served.sign_in("ann", headers=SAME | {"X-Forwarded-Proto": "https"}).headers["set-cookie"]


@pytest.mark.parametrize(
    ("token", "said"),
    [
        ("wrong", Said.WRONG),
        ("", Said.WRONG),
        ("a" * 513, Said.WRONG),
        ("an\r\nn", Said.WRONG),
        ("änn", Said.WRONG),
        ("router", Said.MACHINE),
        ("away", Said.AWAY),
        ("open", Said.TOKENLESS),
    ],
)
def test_any_other_token_opens_nothing_and_is_told_why(served: Served, token: str, said: Said) -> None:
    answer = served.sign_in(token, "/routing")
    assert (answer.status_code, "set-cookie" in answer.headers) == (303, False)
    assert answer.headers["location"] == f"/sign-in?next=%2Frouting&said={said}"
    assert '<p role="alert">' in served.http.get(answer.headers["location"]).text
    assert served.waited == ([WRONG_SECONDS] if said is Said.WRONG else [])
    assert served.http.get("/").status_code == 303


@pytest.mark.parametrize(
    "headers",
    [{}, {"Sec-Fetch-Site": "cross-site"}, {"Sec-Fetch-Site": "same-site"}, {"Origin": "http://evil.example"}, {"Origin": "null"}],
)
def test_a_form_of_another_site_signs_nobody_in(served: Served, headers: dict[str, str]) -> None:
    assert served.sign_in("ann", headers=headers).headers["location"].endswith("said=elsewhere")


def test_a_browser_that_says_the_origin_alone_is_believed(served: Served) -> None:
    assert "set-cookie" in served.sign_in("ann", headers={"Origin": "http://127.0.0.1:8501"}).headers


def test_a_body_longer_than_a_token_is_not_read(served: Served) -> None:
    assert served.sign_in("a" * 5_000).headers["location"].endswith("said=wrong")


def test_a_cookie_that_somebody_planted_is_never_the_one_of_a_sign_in(served: Served) -> None:
    served.http.cookies.set(COOKIE, "planted")
    served.sign_in("ann")
    served.http.cookies.clear()
    served.http.cookies.set(COOKIE, "planted")
    assert served.http.get("/").status_code == 303


def test_who_signs_in_anew_is_no_longer_who_they_were(served: Served) -> None:
    served.sign_in("ann")
    before = served.http.cookies[COOKIE]
    served.sign_in("bob")
    after = served.http.cookies[COOKIE]
    found = served.sessions.find(after)
    assert served.sessions.find(before) is None
    assert found is not None
    assert found.person.name == "bob"


def test_a_link_on_another_site_leads_in_though_the_browser_keeps_the_cookie_back_at_first(served: Served) -> None:
    page = served.http.get("/sign-in?next=/routing", headers={"Sec-Fetch-Site": "cross-site"})
    assert '<meta http-equiv="refresh" content="0;url=/routing">' in page.text


def _knocked(stream: WebSocketTestSession) -> bool:
    """Whether the page was told to load itself anew."""
    message = ForwardMsg.FromString(stream.receive_bytes())
    return (message.WhichOneof("type"), message.auth_redirect.url) == ("auth_redirect", "")


def test_a_page_without_a_sign_in_is_sent_to_it(served: Served) -> None:
    with served.stream() as stream:
        assert str(stream.accepted_subprotocol) == "streamlit"
        assert _knocked(stream)
        stream.send_bytes(b"hello")
    assert served.heard == []


def test_an_open_page_ends_with_the_sign_in_whatever_it_asks(served: Served) -> None:
    served.sign_in("ann")
    with served.stream() as stream:
        stream.send_bytes(b"hello")
        assert stream.receive_bytes() == b"hello"
        served.sessions.end(served.http.cookies[COOKIE])
        stream.send_bytes(b"more")
        assert _knocked(stream)
        stream.send_bytes(b"still more")
    assert served.heard == [b"hello"]


def test_what_is_under_way_when_a_sign_in_ends_is_not_told(served: Served) -> None:
    served.sign_in("ann")
    with served.stream() as stream:
        served.before_answer = lambda: served.sessions.end(served.http.cookies[COOKIE])
        stream.send_bytes(b"hello")
        assert _knocked(stream)
    assert served.heard == [b"hello"]


def test_under_a_prefix_all_of_it_is_there(served: Served) -> None:
    it = Served(base="/kvdeck/")
    assert it.http.get("/kvdeck/routing?a=b").headers["location"] == "/kvdeck/sign-in?next=%2Fkvdeck%2Frouting%3Fa%3Db"
    assert 'action="/kvdeck/sign-in"' in it.http.get("/kvdeck/sign-in").text
    answer = it.sign_in("ann", "/kvdeck/routing")
    assert "Path=/kvdeck/" in answer.headers["set-cookie"]
    assert it.http.get("/kvdeck/routing").text == "page /kvdeck/routing"
    assert it.http.get("/kvdeck/_stcore/health").status_code == 200
    it.sessions.close()


def test_without_a_sign_in_this_machine_alone_is_let_in() -> None:
    it = Served(client=None)
    assert it.http.get("/routing").text == "page /routing"
    assert it.http.get("/routing", headers={"Host": "deck.example.org"}).status_code == 200
    refused = it.http.get("/routing", headers={"Host": "evil.example"})
    assert (refused.status_code, "kvdeck dashboard --allow-host NAME" in refused.text) == (403, True)
    with it.stream() as stream:
        stream.send_bytes(b"hello")
        assert stream.receive_bytes() == b"hello"


@pytest.mark.parametrize(("listening", "reached"), [(None, "127.0.0.1"), ("0.0.0.0", "127.0.0.1"), ("127.0.0.1", "10.0.0.7")])
def test_beyond_this_machine_nothing_is_shown_but_why(listening: str | None, reached: str) -> None:
    it = Served(client=None, listening=listening, reached=reached)
    refused = it.http.get("/routing")
    assert (refused.status_code, "asks nobody who they are" in refused.text) == (403, True)
    assert it.http.get("/_stcore/health").status_code == 200
    with it.stream() as stream:
        assert _knocked(stream)


def test_settings_that_cannot_be_are_told_and_read_again() -> None:
    faults = iter(["KVDECK_CONTROL_TOKEN_FILE: t cannot be read"])

    def house() -> House:
        for fault in faults:
            raise SettingsError(fault)
        return House(sessions=Sessions(lambda: 0.0), client=None, base="/", listening="127.0.0.1", cookie=COOKIE)

    app = Starlette(routes=[Route("/{path:path}", _page)], middleware=[Middleware(Doorman, house=house)])
    http = TestClient(app, base_url="http://127.0.0.1:8501")
    refused = http.get("/routing")
    assert (refused.status_code, "KVDECK_CONTROL_TOKEN_FILE: t cannot be read" in refused.text) == (403, True)
    assert http.get("/routing").text == "page /routing"
