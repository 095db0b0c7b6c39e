"""How long pages wait for control, and how long they leave one alone that hangs."""

from __future__ import annotations

import inspect
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import httpx
import pytest
from streamlit.testing.v1 import AppTest

from dashboard.control_client import PageClient
from dashboard.pages import PAGES, Page
from stack.api.answers import ControlAnswerError, ControlUnreachableError
from tests.dashboard.fakes import prometheus, silent

AWAY = "control does not answer at http://control: timed out"


class Hanging:
    """A wire to a control that hangs: each request takes as long as it may. What it was asked, and how long that may take."""

    def __init__(self) -> None:
        self.now, self.hangs, self.asked = 0.0, True, list[tuple[str, float]]()

    def answer(self, request: httpx.Request) -> httpx.Response:
        seconds = request.extensions["timeout"]["read"]
        self.asked.append((f"{request.method} {request.url.path}", seconds))
        if self.hangs:
            self.now += seconds
            raise httpx.ReadTimeout("timed out")
        return httpx.Response(404)


@contextmanager
def asking(wire: Hanging) -> Iterator[PageClient]:
    with PageClient("http://control", transport=httpx.MockTransport(wire.answer), clock=lambda: wire.now) as client:
        yield client


def why(ask: Callable[[], object]) -> str:
    with pytest.raises(ControlUnreachableError) as told:
        ask()
    return str(told.value)


def test_one_read_waits_two_seconds_and_for_five_more_none_does() -> None:
    wire = Hanging()
    with asking(wire) as client:
        assert [why(client.state), why(client.myself), why(client.audit), why(client.alerts)] == [AWAY] * 4
        assert (wire.asked, wire.now) == ([("GET /v1/state", 2.0)], 2.0)
        wire.now = 7.0
        assert why(client.myself) == AWAY
    assert wire.asked == [("GET /v1/state", 2.0), ("GET /v1/self", 2.0)]


def test_a_change_is_sent_all_the_same_and_waits_eight_seconds() -> None:
    wire = Hanging()
    with asking(wire) as client:
        assert [why(client.state), why(lambda: client.change({}, 1))] == [AWAY, AWAY]
    assert wire.asked == [("GET /v1/state", 2.0), ("PATCH /v1/state", 8.0)]


def test_an_answer_ends_the_wait() -> None:
    wire = Hanging()
    with asking(wire) as client:
        assert why(client.state) == AWAY
        wire.hangs = False
        for ask in (lambda: client.change({}, 1), client.state):
            with pytest.raises(ControlAnswerError):
                ask()
    assert [what for what, _ in wire.asked] == ["GET /v1/state", "PATCH /v1/state", "GET /v1/state"]


def test_what_control_asks_of_others_may_be_late_without_control_being_away() -> None:
    wire = Hanging()
    with asking(wire) as client:
        assert [why(client.alerts), why(client.what_if), why(client.silences), why(client.doctor)] == [AWAY] * 4
        wire.hangs = False
        with pytest.raises(ControlAnswerError):
            client.state()
    assert [seconds for _, seconds in wire.asked] == [8.0, 8.0, 8.0, 8.0, 2.0]


def test_a_control_that_refuses_connections_is_asked_each_time() -> None:
    with PageClient("http://127.0.0.1:9", clock=lambda: 0.0) as client:
        assert why(client.state) == "control does not answer at http://127.0.0.1:9: [Errno 111] Connection refused"
        assert why(client.audit) == why(client.state)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.title)
def test_a_page_comes_to_rest_within_four_seconds_though_control_hangs(environment: pytest.MonkeyPatch, page: Page) -> None:
    with silent() as url, prometheus({}) as known:
        environment.setenv("KVDECK_CONTROL_URL", url)
        environment.setenv("KVDECK_PROMETHEUS_URL", known)
        drawn = AppTest.from_function(_page, kwargs={"view": _view(page)}, default_timeout=60)
        began = time.monotonic()
        drawn.run()
        took = time.monotonic() - began
        drawn.session_state["control"].close()
    assert not drawn.exception
    assert any("Control does not answer" in told.value for told in [*drawn.error, *drawn.markdown])
    assert took < 4


def _view(page: Page) -> str:
    module = inspect.getmodule(page.draw)
    assert module is not None
    return module.__name__


def _page(view: str) -> None:
    import importlib

    from dashboard import emulation

    emulation.banner()
    importlib.import_module(view).page()
