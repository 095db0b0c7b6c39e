"""A fleet in a loop: routers that know nothing of each other, engines that remember what they were sent. No clock, no sockets."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from msgspec.structs import replace

from stack.cache.prefix import prefix_hashes, whole_hash, whole_pieces
from stack.fleet.engine import Engine
from stack.model.request import RouteRequest
from stack.strategies.base import Strategy
from tests.stack.strategies.fleets import request
from tests.stack.strategies.past import Past


@dataclass(frozen=True, slots=True)
class Turn:
    """One request of one conversation; `opening` is how many of its bytes the conversation began with."""

    conversation: int
    prompt: bytes
    opening: int

    def asked(self, number: int) -> RouteRequest:
        opening = whole_hash(self.prompt[: self.opening]), whole_pieces(self.opening)
        pieces = prefix_hashes(self.prompt)
        if 0 < len(pieces) <= opening[1]:
            pieces.append(opening[0])
        return request(number, prompt_tokens=len(self.prompt) // 4, prefix=pieces, opening=opening)


@dataclass(frozen=True, slots=True)
class Run:
    """What came of it: the engine of each turn, and the pieces that were there already."""

    engines: tuple[str, ...]
    hits: int
    pieces: int
    size: int

    @property
    def hit_ratio(self) -> float:
        return self.hits / self.pieces

    @property
    def spread(self) -> float:
        """The busiest engine's requests over the mean."""
        return max(Counter(self.engines).values()) * self.size / len(self.engines)


def run(routers: Sequence[Strategy], fleet: Sequence[Engine], turns: Iterable[Turn], running: int = 4) -> Run:
    """Every turn through the routers in turn; each request is in flight until `running` later ones of its router came."""
    held, pasts = Past(), [Past() for _ in routers]
    flights: list[deque[str]] = [deque() for _ in routers]
    engines: list[str] = []
    hits = pieces = 0
    for number, turn in enumerate(turns):
        router, flying = routers[number % len(routers)], flights[number % len(routers)]
        load = Counter(flying)
        asked = turn.asked(number)
        candidates = [replace(engine, in_flight=load[engine.name]) for engine in fleet]
        choice = pasts[number % len(routers)].send(router, asked, candidates)
        hits += held.recalled(asked).recalled.depth(choice.engine)
        pieces += len(asked.prefix_hashes)
        held.sent(asked, choice.engine)
        engines.append(choice.engine)
        flying.append(choice.engine)
        if len(flying) > running:
            flying.popleft()
    return Run(tuple(engines), hits, pieces, len(fleet))


def chats(count: int, turns: int, question_bytes: int, system: bytes) -> list[Turn]:
    """Conversations side by side over one system prompt: each turn adds a question and an answer as long."""
    texts = [f"{chat:04d} ".encode() * (question_bytes // 5) for chat in range(count)]
    opening = len(system) + question_bytes // 5 * 5
    return [Turn(chat, system + texts[chat] * (2 * turn + 1), opening) for turn in range(turns) for chat in _order(count, turn)]


def _order(count: int, turn: int) -> Iterable[int]:
    """Every chat once, in an order of each turn's own, so that no router sees the same ones every time."""
    step = next(step for step in range(7 + 2 * turn, 7 + 2 * turn + count, 2) if count % step)
    return sorted(range(count), key=lambda chat: (chat * step % count, chat))


def documents(count: int, questions: int, document_bytes: int, system: bytes) -> list[Turn]:
    """Each document asked about by many clients, once each: a conversation is a document."""
    turns = []
    for question in range(questions):
        for document in _order(count, question):
            prompt = system + f"{document:04d} ".encode() * (document_bytes // 5) + f"question {question}?".encode() * 4
            turns.append(Turn(document, prompt, len(prompt)))
    return turns
