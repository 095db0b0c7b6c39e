"""The made-up workloads: chats that go on, documents asked about by many, prompts that share nothing, and a mixture."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence

import msgspec

from stack.bench.routing.workload import MODEL, Conversation, Turn, Workload
from stack.emulator.answer import Limits, compose
from stack.emulator.tokens import ByteTokenizer
from stack.router.openai import CHAT, parse
from stack.traffic import prose

_TOKENIZER = ByteTokenizer()
_TOKEN_BYTES = 4
_PAUSE_SECONDS = 1.0
_SYSTEM_PROMPTS = 4
_LIBRARY = 240
_BYTES_PER_WORD = 7

Message = dict[str, str]


def turn(kind: str, messages: Sequence[Message], answer: int) -> Turn:
    """A streamed chat request whose answer has exactly `answer` tokens."""
    fields = {"model": MODEL, "messages": list(messages), "max_tokens": answer, "stream": True}
    parsed = parse(CHAT, msgspec.json.encode(fields))
    return Turn(kind, parsed, tuple(_TOKENIZER.chat(fields)), Limits(answer, ignore_eos=True))


def multi_turn(rng: random.Random, size: int) -> Workload:
    """Chats of three to eight turns over a few system prompts; each turn adds a question and an answer."""
    return Workload("multi_turn", list(_chats(rng, size)))


def documents(rng: random.Random, size: int) -> Workload:
    """Questions about the documents of a library that one engine cannot hold; the first documents are asked about most."""
    texts = [prose.document(number, rng.randint(1500, 3500)) for number in range(_LIBRARY)]
    weights = [1 / (rank + 1) ** 0.8 for rank in range(_LIBRARY)]

    def ask(number: int) -> Turn:
        (document,) = rng.choices(range(_LIBRARY), weights)
        content = f"{texts[document]}\n\n{prose.question(rng)} ({number})"
        return turn("document", [{"role": "user", "content": content}], rng.randint(24, 72))

    return Workload("documents", [Conversation(f"client-{n}", at, [ask(n)]) for n, at in enumerate(_arrivals(rng, size * 5))])


def unique(rng: random.Random, size: int) -> Workload:
    """Prompts that share nothing."""
    starts = enumerate(_arrivals(rng, size * 5))
    return Workload("unique", [Conversation(f"client-{n}", at, [_stranger(rng, n, 300, 3000)]) for n, at in starts])


def mixed(rng: random.Random, size: int) -> Workload:
    """Chats, and for each of them a long prompt that nobody has seen."""
    chats = list(_chats(rng, size))
    long = [Conversation(f"long-{n}", at, [_stranger(rng, n, 3000, 8000)]) for n, at in enumerate(_arrivals(rng, size))]
    return Workload("mixed", sorted([*chats, *long], key=lambda conversation: conversation.begins))


def _chats(rng: random.Random, count: int) -> Iterator[Conversation]:
    systems = [f"Desk {number}. {prose.filler(f'system {number}', 200)}" for number in range(_SYSTEM_PROMPTS)]
    for number, begins in enumerate(_arrivals(rng, count)):
        turns = list(_chat(rng, number, rng.choice(systems), rng.randint(3, 8)))
        pauses = [rng.expovariate(1 / _PAUSE_SECONDS) for _ in turns[1:]]
        yield Conversation(f"chat-{number}", begins, turns, pauses)


def _chat(rng: random.Random, number: int, system: str, turns: int) -> Iterator[Turn]:
    messages: list[Message] = [{"role": "system", "content": system}]
    for index in range(turns):
        words = rng.randint(150, 900) if index == 0 else rng.randint(20, 200)
        messages.append({"role": "user", "content": prose.filler(f"chat {number} turn {index}", words)})
        _align(messages)
        asked = turn("chat", messages, rng.randint(32, 128))
        yield asked
        answer = compose(asked.tokens, asked.limits, _TOKENIZER)
        messages.append({"role": "assistant", "content": "".join(answer.pieces)})


def _align(messages: Sequence[Message]) -> None:
    """Let the prompt end with a whole token, so that the next one continues the answer's tokens as a real chat does."""
    text = "".join(f"<|{message['role']}|>\n{message['content']}\n" for message in messages) + "<|assistant|>\n"
    messages[-1]["content"] += " " * (-len(text.encode()) % _TOKEN_BYTES)


def _stranger(rng: random.Random, number: int, shortest: int, longest: int) -> Turn:
    words = rng.randint(shortest, longest) * _TOKEN_BYTES // _BYTES_PER_WORD
    content = f"{rng.getrandbits(64):x} {prose.filler(f'stranger {number} {rng.random()}', words)}"
    return turn("stranger", [{"role": "user", "content": content}], rng.randint(32, 128))


def _arrivals(rng: random.Random, count: int) -> Iterator[float]:
    """Independent of each other, `count` in all, one a unit of time times what `count` is of the workload's size."""
    at = 0.0
    for _ in range(count):
        at += rng.expovariate(1.0)
        yield at


SCENARIOS: dict[str, Callable[[random.Random, int], Workload]] = {
    "multi_turn": multi_turn,
    "documents": documents,
    "unique": unique,
    "mixed": mixed,
}
