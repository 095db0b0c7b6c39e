from __future__ import annotations

import httpx
import msgspec
import pytest

from stack.api.answers import ControlAnswerError, ControlUnreachableError, RefusedChangeError, StaleError, UnauthorizedError
from stack.api.client import ControlClient
from stack.api.schema import Applied, ChangeView, ErrorDetail, ErrorView
from stack.api.self_schema import SelfView
from stack.cache.relay import CacheUpdate
from stack.control.access import Role
from tests.stack.control.samples import desired

VIEW = ChangeView(generation=8, desired=desired(), applied=Applied(), dry_run=False, proposed=desired())


class Wire:
    """Answers every request with `status` and `body`, and remembers the last one."""

    def __init__(self, status: int = 200, body: object = VIEW) -> None:
        self.status, self.body = status, msgspec.json.encode(body)
        self.seen: httpx.Request | None = None

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.seen = request
        return httpx.Response(self.status, content=self.body)


def _client(wire: Wire) -> ControlClient:
    return ControlClient("http://control:8010", token="s3cret", actor="Zoë", transport=httpx.MockTransport(wire))


def test_a_change_carries_its_generation_and_who_and_why() -> None:
    wire = Wire()
    with _client(wire) as client:
        assert client.change({"strategy": "session"}, 7, dry_run=True, comment="quiet & slow") == VIEW
    assert wire.seen is not None
    assert str(wire.seen.url) == "http://control:8010/v1/state?dry_run=true&comment=quiet+%26+slow"
    assert (wire.seen.method, wire.seen.content) == ("PATCH", b'{"strategy":"session"}')
    assert wire.seen.headers["if-match"] == '"7"'
    assert wire.seen.headers["authorization"] == "Bearer s3cret"
    assert dict(wire.seen.headers.raw)[b"X-Kvdeck-Actor"] == "Zoë".encode()


def test_of_a_newer_controls_state_is_shown_what_is_known() -> None:
    newer = msgspec.to_builtins(VIEW) | {"weather": "fine"}
    newer["desired"]["models"]["smollm2"]["pools"]["decode"]["colour"] = "blue"
    with _client(Wire(body=newer)) as client:
        assert client.change({}, 7) == VIEW


def test_what_lies_behind_the_engines_is_asked_for_without_waiting() -> None:
    update = CacheUpdate(epoch=3, version=8)
    seen: list[httpx.Request] = []

    def answer(request: httpx.Request) -> httpx.Response:
        seen.append(request)
        return httpx.Response(200, content=msgspec.msgpack.encode(update))

    with ControlClient("http://control:8010", transport=httpx.MockTransport(answer)) as client:
        assert client.cache(3, 7) == update
    assert str(seen[0].url) == "http://control:8010/v1/routers/-/cache?epoch=3&since=7"


def test_what_is_no_cache_update_is_not_from_control() -> None:
    with _client(Wire(body="hello")) as client, pytest.raises(ControlUnreachableError, match="is not control"):
        client.cache(0, 0)


def test_decisions_are_asked_for_with_the_filters_that_are_set() -> None:
    wire = Wire(body={"decisions": [], "dropped": 0})
    with _client(wire) as client:
        assert client.decisions(limit=5, path="dpd").decisions == ()
    assert wire.seen is not None
    assert wire.seen.url.query == b"limit=5&path=dpd"


@pytest.mark.parametrize(
    ("status", "kind"),
    [(409, StaleError), (422, RefusedChangeError), (401, UnauthorizedError), (403, UnauthorizedError), (503, ControlAnswerError)],
)
def test_every_refusal_is_an_error_with_its_words(status: int, kind: type[ControlAnswerError]) -> None:
    wire = Wire(status, ErrorView(error=ErrorDetail(code="refused", message="no", field="dpd")))
    with _client(wire) as client, pytest.raises(kind, match=r"^no$") as refused:
        client.change({}, 1)
    assert (refused.value.status, refused.value.code, refused.value.field) == (status, "refused", "dpd")


def test_an_error_that_says_nothing_is_still_an_error() -> None:
    with _client(Wire(502, "oops")) as client, pytest.raises(ControlAnswerError, match="answered 502 without saying why"):
        client.state()


def test_something_else_on_the_port_is_not_control() -> None:
    with _client(Wire(200, {"hello": "world"})) as client, pytest.raises(ControlUnreachableError, match="is not control"):
        client.state()


def test_nobody_on_the_port_is_said_with_the_address() -> None:
    said = pytest.raises(ControlUnreachableError, match=r"control does not answer at http://127\.0\.0\.1:9")
    with ControlClient("http://127.0.0.1:9", timeout_seconds=1) as client, said:
        client.health()


def test_whose_the_token_is() -> None:
    myself = SelfView(name="ann", role=Role.OPERATOR, tokens=True)
    wire = Wire(body=myself)
    with _client(wire) as client:
        assert client.myself() == myself
    assert wire.seen is not None
    assert wire.seen.url.path == "/v1/self"
