"""A reverse proxy of a few lines: one path prefix is passed on, WebSockets and the Host header as well, the rest is not there."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import BufferedIOBase
from socketserver import StreamRequestHandler, ThreadingTCPServer
from urllib.parse import urlsplit

_GONE = b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"


@contextmanager
def proxy(upstream: str, prefix: str) -> Iterator[str]:
    """Its URL, without the prefix."""
    behind = urlsplit(upstream)

    class Handler(StreamRequestHandler):
        rfile: BufferedIOBase

        def handle(self) -> None:
            head = b"".join(iter(self.rfile.readline, b"\r\n")) + b"\r\n"
            if not head.split(b" ", 2)[1:2] or not head.split(b" ")[1].startswith(prefix.encode()):
                self.wfile.write(_GONE)
                return
            if b"\r\nupgrade:" not in head.lower():  # then each request has a connection of its own, so that each is looked at
                lines = [line for line in head.split(b"\r\n") if not line.lower().startswith(b"connection:")]
                head = b"\r\n".join([lines[0], b"Connection: close", *lines[1:]])
            with socket.create_connection((behind.hostname, behind.port)) as inner:
                inner.sendall(head)
                outward = threading.Thread(target=_pipe, args=(inner.makefile("rb"), self.connection))
                outward.start()
                _pipe(self.rfile, inner)
                outward.join()

    class Server(ThreadingTCPServer):
        daemon_threads = True

    with Server(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()
            thread.join()


def _pipe(source: BufferedIOBase, target: socket.socket) -> None:
    with suppress(OSError, ValueError):
        while data := source.read1(1 << 16):
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)
