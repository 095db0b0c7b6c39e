"""One client on one connection."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from stack.bench.router.process import ProcessError
from stack.bench.tokens.asking import line, paced


@contextmanager
def server(answer: bytes, times: int) -> Iterator[str]:
    """Answers so many requests of two bytes on one connection."""
    listening = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        connection, _ = listening.accept()
        with connection:
            for _ in range(times):
                seen = b""
                while not seen.endswith(b"\r\n\r\n{}"):
                    seen += connection.recv(4096)
                connection.sendall(answer)

    thread = threading.Thread(target=serve)
    thread.start()
    yield f"http://127.0.0.1:{listening.getsockname()[1]}"
    thread.join()
    listening.close()


OK = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}"


def test_a_connection_is_kept_and_each_request_timed() -> None:
    with server(OK, 2) as url, line(url) as way:
        assert all(way.ask("/v1/chat/completions", b"{}") > 0 for _ in range(2))


def test_requests_are_asked_at_even_intervals() -> None:
    with server(OK, 3) as url:
        assert len(paced(url, "/v1/completions", [b"{}"] * 3, 1000.0)) == 3


def test_an_error_is_no_figure() -> None:
    with (
        server(b"HTTP/1.1 503 Busy\r\ncontent-length: 0\r\n\r\n", 1) as url,
        line(url) as way,
        pytest.raises(ProcessError, match="status 503"),
    ):
        way.ask("/v1/chat/completions", b"{}")


def test_nobody_there_is_an_error() -> None:
    with line("http://127.0.0.1:1") as way, pytest.raises(ProcessError, match="ConnectionRefusedError"):
        way.ask("/", b"{}")
