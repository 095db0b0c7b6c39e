"""The socket control listens on, bound before anything else is begun."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager

from stack.api.settings import ControlConfigError


@contextmanager
def listening(host: str, port: int) -> Iterator[socket.socket]:
    """A listening socket; port 0 takes a free one. Raises ControlConfigError."""
    bare = host.strip("[]")
    try:
        family = socket.AF_INET6 if ":" in bare else socket.AF_INET
        listener = socket.create_server((bare, port), family=family)
    except OSError as error:
        raise ControlConfigError(f"cannot listen on {host}:{port}: {error.strerror or error}") from error
    with listener:
        yield listener


def url(listener: socket.socket, scheme: str) -> str:
    """Where `listener` can be reached."""
    host, port = listener.getsockname()[:2]
    return f"{scheme}://{f'[{host}]' if ':' in host else host}:{port}"
