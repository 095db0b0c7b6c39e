"""What a router has sent where, for tests of strategies."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from stack.cache.sent import SentPrefixes
from stack.fleet.engine import Engine
from stack.model.plan import Choice
from stack.model.request import RouteRequest
from stack.strategies.base import Strategy


class Past:
    """An index of one router's, as it fills."""

    def __init__(self) -> None:
        self.index = SentPrefixes()

    def sent(self, asked: RouteRequest, engine: str) -> None:
        """`asked` went to `engine`."""
        self.index.learn(engine, asked.prefix_hashes, asked.now)

    def recalled(self, asked: RouteRequest) -> RouteRequest:
        """`asked`, with what is remembered of it."""
        return replace(asked, recalled=self.index.recall(asked.prefix_hashes, asked.now))

    def send(self, strategy: Strategy, asked: RouteRequest, candidates: Sequence[Engine]) -> Choice:
        """Let `strategy` choose, and send `asked` there."""
        choice = strategy.choose(self.recalled(asked), candidates)
        self.sent(asked, choice.engine)
        return choice
