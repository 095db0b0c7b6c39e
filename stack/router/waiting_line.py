"""The prompts one engine has yet to compute, in the order in which they were sent to it."""

from __future__ import annotations

from stack.model.load import EMPTY_QUEUE, Queue


class WaitingLine:
    """Requests without a first token, each with the prompt tokens it needs computed. `queue` is all of it as one value.

    Times are seconds of one clock; requests may be anything that can be told apart.
    """

    __slots__ = ("_works", "queue")

    def __init__(self) -> None:
        self._works: dict[object, float] = {}
        self.queue = EMPTY_QUEUE

    def join(self, request: object, work: float, now: float) -> None:
        """Sent now, behind all others."""
        works, queue = self._works, self.queue
        self.queue = Queue(queue.tokens + work, queue.head, queue.since) if works else Queue(work, work, now)
        works[request] = work

    def leave(self, request: object, now: float) -> None:
        """Over, answered or not. Harmless when it was through before."""
        works, queue = self._works, self.queue
        work = works.get(request)
        if work is None:
            return
        was_first = next(iter(works)) is request
        del works[request]
        if was_first:
            self._go_on(queue.tokens - work, now)
        else:
            self.queue = Queue(queue.tokens - work, queue.head, queue.since)

    def through(self, request: object, now: float) -> None:
        """It has its first token. Engines go by arrival, so all that were sent before it are computed as well.

        That is the only sign of those whose answers come whole.
        """
        if request not in self._works:
            return
        left = self.queue.tokens
        while True:
            first = next(iter(self._works))
            left -= self._works.pop(first)
            if first is request:
                break
        self._go_on(left, now)

    def _go_on(self, tokens: float, now: float) -> None:
        if not self._works:
            self.queue = EMPTY_QUEUE
        else:
            self.queue = Queue(tokens, next(iter(self._works.values())), now)
