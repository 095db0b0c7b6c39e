"""What is asked: chats over a shared system prompt, long documents asked about again and again, or both."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Protocol

from stack.traffic import prose
from stack.traffic.request import Request

Finished = Callable[[str | None], None]

_OPEN_CHATS = 8
_TURNS = 5
_LIBRARY = 6
_LONG_SHARE = 0.2
_SYSTEM_TOKENS = 60  # of a model's own template, and the question


class Scenario(Protocol):
    """Makes one request at a time; the answer's text, None when there was none, goes to the function that comes with it."""

    def next(self) -> tuple[Request, Finished]: ...


@dataclass(frozen=True, slots=True)
class Sizes:
    """What fits the model. `context` and `answer` are tokens."""

    context: int
    answer: int

    def document(self, shortest: int, longest: int) -> tuple[int, int]:
        """A range of document lengths, moved down where the context is too small for it."""
        room = max(64, self.context - self.answer - _SYSTEM_TOKENS)
        return min(shortest, room // 2), min(longest, room)


@dataclass(eq=False)
class _Chat:
    name: str
    messages: list[tuple[str, str]] = field(default_factory=list)
    turns: int = 0
    busy: bool = False


class Chats:
    """Conversations of five turns, each turn with all that was said before. An answer is waited for before its chat goes on;
    when all open chats wait, another one begins."""

    def __init__(self, rng: random.Random, sizes: Sizes) -> None:
        self._rng = rng
        self._sizes = sizes
        self._chats: list[_Chat] = []
        self._begun = 0

    def next(self) -> tuple[Request, Finished]:
        chat = self._choose()
        chat.messages.append(("user", prose.small_talk(self._rng)))
        chat.busy = True
        request = Request("chat", self._sizes.answer, messages=tuple(chat.messages), session=chat.name)
        return request, lambda text: self._answered(chat, text)

    def _choose(self) -> _Chat:
        idle = [chat for chat in self._chats if not chat.busy]
        if idle and (len(self._chats) >= _OPEN_CHATS or self._rng.random() < 0.7):
            return self._rng.choice(idle)
        self._begun += 1
        chat = _Chat(f"chat-{self._begun}", [("system", prose.system_prompt())])
        self._chats.append(chat)
        return chat

    def _answered(self, chat: _Chat, text: str | None) -> None:
        chat.busy = False
        chat.turns += 1
        if text is None or chat.turns >= _TURNS:
            self._chats.remove(chat)
        else:
            chat.messages.append(("assistant", text))


class Documents:
    """A small library; the first documents are asked about most. Lengths in tokens, from `shortest` to `longest`."""

    def __init__(self, rng: random.Random, sizes: Sizes, shortest: int = 1200, longest: int = 2000) -> None:
        self._rng = rng
        self._answer = sizes.answer
        low, high = sizes.document(shortest, longest)
        self._texts = [prose.document(number, rng.randint(low, high)) for number in range(_LIBRARY)]
        self._weights = [1 / (rank + 1) for rank in range(_LIBRARY)]

    def next(self) -> tuple[Request, Finished]:
        (number,) = self._rng.choices(range(_LIBRARY), self._weights)
        content = f"{self._texts[number]}\n\n{prose.question(self._rng)}"
        request = Request("document", self._answer, messages=(("user", content),), session=f"document-{number}")
        return request, lambda text: None


class Mixed:
    """Chats, and one long prompt in five: long enough to be worth a prefill engine, short enough for small machines."""

    def __init__(self, rng: random.Random, sizes: Sizes) -> None:
        self._rng = rng
        self._chats = Chats(rng, sizes)
        self._documents = Documents(rng, sizes, 700, 1500)

    def next(self) -> tuple[Request, Finished]:
        return (self._documents if self._rng.random() < _LONG_SHARE else self._chats).next()


class Salted:
    """A workload whose prompts share no cache with those of another salt, though the text is the same."""

    def __init__(self, scenario: Scenario, salt: str) -> None:
        self._scenario = scenario
        self._salt = salt

    def next(self) -> tuple[Request, Finished]:
        request, finished = self._scenario.next()
        return replace(request, salt=self._salt), finished


SCENARIOS: dict[str, Callable[[random.Random, Sizes], Scenario]] = {"chat": Chats, "documents": Documents, "mixed": Mixed}
