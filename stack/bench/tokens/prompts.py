"""Prompts of which a part was asked before: conversations that go on, documents with another question, lists of tokens."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from stack.bench.router.chats import MODEL

_WORDS = """
the of and to in a is that for it as was with be by on not he this are or his from at which but have an had they you were their
one all we can her has there been if more when will would who so no what about people server cache token request model engine
time system memory number because where between another thought measured reading question answered paragraph
"""
_SENTENCE_WORDS = 14
_TURN_TOKENS = 400  # a question and its answer
_QUESTION_TOKENS = 60


class Kind(StrEnum):
    """How a prompt is written."""

    CHAT = "chat"
    TEXT = "text"
    IDS = "token ids"

    @property
    def path(self) -> str:
        """Where such a prompt is asked."""
        return "/v1/chat/completions" if self is Kind.CHAT else "/v1/completions"


@dataclass(frozen=True, slots=True)
class Case:
    """Prompts of `tokens` tokens, about, the last `new` of which nobody asked before."""

    kind: Kind
    tokens: int
    new: int

    @property
    def name(self) -> str:
        """As the report calls it."""
        return f"{self.kind}, {self.tokens:,} tokens, {self.new:,} of them new"


@dataclass(slots=True)
class Writer:
    """Writes English-looking prompts; `count` tells a text's tokens. Equal seeds write equal prompts."""

    count: Callable[[str], int]
    tokenize: Callable[[str], Sequence[int]]
    seed: int = 0
    _random: random.Random = field(init=False)
    _tokens_per_word: float = field(init=False)

    def __post_init__(self) -> None:
        self._random = random.Random(self.seed)
        sample = self._words(2000)
        self._tokens_per_word = self.count(sample) / 2000

    def prose(self, tokens: int) -> str:
        """About so many tokens of text."""
        return self._words(max(1, round(tokens / self._tokens_per_word)))

    def base(self, case: Case) -> Any:
        """What was asked before: messages, a text, or token ids."""
        seen = case.tokens - case.new
        if case.kind is Kind.CHAT:
            turns = max(1, seen // _TURN_TOKENS)
            return [message for _ in range(turns) for message in self._turn(seen // turns)]
        text = self.prose(seen)
        return text if case.kind is Kind.TEXT else list(self.tokenize(text))

    def seen(self, case: Case, base: Any) -> dict[str, Any]:
        """The request that asked `base`."""
        return {"model": MODEL, "max_tokens": 1, "stream": True, "messages" if case.kind is Kind.CHAT else "prompt": base}

    def body(self, case: Case, base: Any) -> dict[str, Any]:
        """A request that goes on from `base` with what is new each time."""
        asked: dict[str, Any]
        if case.kind is Kind.CHAT:
            answer = self.prose(max(1, case.new - _QUESTION_TOKENS))
            more = [
                {"role": "assistant", "content": answer},
                {"role": "user", "content": self.prose(min(case.new, _QUESTION_TOKENS))},
            ]
            asked = {"messages": [*base, *(more if base else more[::-1])]}
        else:
            tail = " " + self.prose(case.new)
            asked = {"prompt": base + tail if case.kind is Kind.TEXT else [*base, *self.tokenize(tail)]}
        return {"model": MODEL, "max_tokens": 1, "stream": True, **asked}

    def _turn(self, tokens: int) -> list[dict[str, str]]:
        question = {"role": "user", "content": self.prose(_QUESTION_TOKENS)}
        return [{"role": "assistant", "content": self.prose(tokens - _QUESTION_TOKENS)}, question]

    def _words(self, words: int) -> str:
        chosen = self._random.choices(_WORDS.split(), k=words)
        for end in range(_SENTENCE_WORDS, words, _SENTENCE_WORDS):
            chosen[end - 1] += "."
            chosen[end] = chosen[end].capitalize()
        return " ".join(chosen)
