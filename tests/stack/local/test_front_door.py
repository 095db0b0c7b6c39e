from __future__ import annotations

from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread

import pytest

from stack.adapters.supervisor_link import Component, ComponentState
from stack.local.front_door import unrouted


class Ready(BaseHTTPRequestHandler):
    """Says 200 or 503 to GET /ready, by what its server was told."""

    def do_GET(self) -> None:
        assert isinstance(self.server, Door)
        self.send_response(self.server.status if self.path == "/ready" else 404)
        self.end_headers()
        self.wfile.write(b"so it is")

    def log_message(self, format: str, *arguments: object) -> None:
        """Not to the terminal."""


class Door(HTTPServer):
    status = 200


@pytest.fixture
def door() -> Iterator[Door]:
    with Door(("127.0.0.1", 0), Ready) as server:
        thread = Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def router(port: int, state: ComponentState = ComponentState.READY) -> Component:
    return Component(name="router", kind="router", url=f"http://127.0.0.1:{port}", pid=1, state=state)


def test_it_is_the_routers_word_that_counts(door: Door) -> None:
    assert unrouted([router(door.server_port)]) is None
    door.status = 503
    assert unrouted([router(door.server_port)]) == "the router says so it is"


def test_a_router_that_does_not_answer_is_told(door: Door) -> None:
    unused = door.server_port
    door.server_close()
    assert unrouted([router(unused)]) == "the router does not answer: ConnectError"


def test_without_a_router_there_is_nothing_to_ask() -> None:
    assert unrouted([]) is None
    assert unrouted([router(1, ComponentState.HELD)]) is None
    assert unrouted([Component(name="x", kind="exporter", url="http://127.0.0.1:1", pid=1, state=ComponentState.READY)]) is None
