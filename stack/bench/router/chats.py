"""The chats that the load asks: long, of equal length, with shared beginnings and a new question each time."""

from __future__ import annotations

import random
from dataclasses import dataclass

import msgspec

MODEL = "canned"
_MARK = "000000000000"  # where the running number of a request goes; as many digits, so that all bodies are equally long
_LETTERS = "etaoinshrdlucmfwyp"


@dataclass(frozen=True, slots=True)
class Chat:
    """One conversation's JSON body, but for the running number between `head` and `tail`."""

    head: str
    tail: str

    def body(self, number: int) -> str:
        """The body of request `number`."""
        return f"{self.head}{number:0{len(_MARK)}d}{self.tail}"


@dataclass(frozen=True, slots=True)
class Shape:
    """Bytes of a body, and how many conversations share how many system prompts of `system_bytes`."""

    body_bytes: int = 16_384
    system_bytes: int = 4_096
    system_prompts: int = 8
    conversations: int = 256


def chats(shape: Shape = Shape(), seed: int = 0, stream_tokens: int | None = None) -> tuple[Chat, ...]:
    """The conversations of `shape`; equal seeds make equal ones. With `stream_tokens` the answers are streamed, that long."""
    rng = random.Random(seed)
    systems = [_prose(rng, shape.system_bytes) for _ in range(shape.system_prompts)]
    return tuple(_chat(rng, shape, systems[number % len(systems)], stream_tokens) for number in range(shape.conversations))


def _chat(rng: random.Random, shape: Shape, system: str, stream_tokens: int | None) -> Chat:
    room = shape.body_bytes - len(_body(system, "", "", stream_tokens))
    head, _, tail = _body(system, *_history(rng, room), stream_tokens).rpartition(_MARK)
    return Chat(head, tail)


def _history(rng: random.Random, room: int) -> tuple[str, str]:
    asked = room // 8
    return _prose(rng, asked), _prose(rng, room - asked)


def _body(system: str, asked: str, answered: str, stream_tokens: int | None) -> str:
    messages = [
        {"role": "system", "content": system},
        {"role": "user", "content": asked},
        {"role": "assistant", "content": answered},
        {"role": "user", "content": f"And what of case {_MARK}?"},
    ]
    fields = {"model": MODEL, "messages": messages, "max_tokens": stream_tokens or 64, "stream": stream_tokens is not None}
    return msgspec.json.encode(fields).decode()


def _prose(rng: random.Random, size: int) -> str:
    """`size` letters and spaces."""
    words: list[str] = []
    length = 0
    while length < size:
        words.append("".join(rng.choices(_LETTERS, k=rng.randint(2, 9))))
        length += len(words[-1]) + 1
    return " ".join(words)[:size].ljust(size, "e")
