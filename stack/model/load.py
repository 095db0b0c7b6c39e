"""What a router knows of the work before an engine: its own requests that have not begun to be answered."""

from __future__ import annotations

import msgspec


class Queue(msgspec.Struct, frozen=True, gc=False):
    """Prompt tokens to compute for requests without a first token, in the order in which they were sent.

    `head` are those of the first one, at which the engine has been at work since `since` (seconds, the router's clock).
    """

    tokens: float = 0.0
    head: float = 0.0
    since: float = 0.0


EMPTY_QUEUE = Queue()
