"""What there is to decide by of where a prompt's KV lies at an engine."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from stack.cache.index import BlockIndex
from stack.model.placement import UnknownReason


class Tokens(Protocol):
    """Tells prompts' token ids, which the engines' KV events are about."""

    def unusable(self, model: str) -> UnknownReason | None:
        """Why there are none for `model`; None when there are."""
        ...


@dataclass(frozen=True, slots=True)
class Knowing:
    """Of any engine, whatever strategy is in force: its events are followed all the same."""

    tokens: Tokens
    index: BlockIndex

    def of(self, engine: str, model: str) -> str:
        """What the engine's placement is worth (a Knowledge), or else why prompts of its model have no tokens."""
        return self.tokens.unusable(model) or self.index.knowledge(engine)
