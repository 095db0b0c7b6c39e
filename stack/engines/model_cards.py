"""What an engine lists at /v1/models: its model, under each name it is served by, and adapters of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ModelCard:
    """One name that requests may ask for. `root` is the path or repository that was loaded, None where that is untold."""

    name: str
    root: str | None


def own_models(answer: object) -> tuple[ModelCard, ...]:
    """The names of the engine's own model in an answer of /v1/models; adapters and what is malformed are left out."""
    return tuple(_own(answer.get("data") if isinstance(answer, Mapping) else None))


def _own(cards: object) -> Iterator[ModelCard]:
    for card in cards if isinstance(cards, list) else ():
        if isinstance(card, Mapping) and isinstance(name := card.get("id"), str) and card.get("parent") is None:
            root = card.get("root")
            yield ModelCard(name, root if isinstance(root, str) and root else None)
