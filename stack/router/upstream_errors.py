"""What can go wrong between the router and an engine."""

from __future__ import annotations


class UpstreamError(Exception):
    """`started`: the first byte of the answer had arrived, so the engine did take the request."""

    def __init__(self, message: str, *, started: bool) -> None:
        super().__init__(message)
        self.started = started


class ConnectError(UpstreamError):
    """No connection to the engine within its time; the request never reached it."""


class ReplyTimeoutError(UpstreamError):
    """The engine said nothing for longer than it may."""


class BrokenReplyError(UpstreamError):
    """The connection ended too early, or what came over it is no HTTP answer, or a larger one than wanted."""


class ConnectionLostError(BrokenReplyError):
    """The engine's side closed or reset the connection in the middle of a request, as a process that dies does."""
