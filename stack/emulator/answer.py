"""What an emulated engine says: text that depends on the prompt alone and says what it is."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass

from stack.emulator.tokens import Tokenizer

_OPENING = "[emulated]"
_GARBLED = "[emulated] [garbled: KV came from a lease that had ended]"
_SENTENCES = (
    "the cache keeps what was asked before and the next answer starts sooner because blocks of the prompt are still here "
    "a request travels from the router to an engine and its tokens come back one after another while others wait their turn "
    "memory fills and the oldest block leaves first so a long prompt may have to be read again from a slower tier below"
)
_WORDS = tuple(_SENTENCES.split())
_SHORTEST, _SPREAD = 32, 96


@dataclass(frozen=True, slots=True)
class Answer:
    """All tokens of one answer, known beforehand. `pieces` are their texts; `reason` is stop or length."""

    tokens: tuple[int, ...]
    pieces: tuple[str, ...]
    reason: str
    stop_reason: str | None = None


@dataclass(frozen=True, slots=True)
class Limits:
    """When an answer ends. `max_tokens` is at least 1; without `ignore_eos` it may end by itself before that."""

    max_tokens: int
    min_tokens: int = 0
    ignore_eos: bool = False
    stop: tuple[str, ...] = ()


def compose(prompt: Sequence[int], limits: Limits, tokenizer: Tokenizer, *, garbled: bool = False) -> Answer:
    """The answer to `prompt`: always the same one, unless its KV was lost on the way (`garbled`)."""
    seed = zlib.crc32(b"".join([token.to_bytes(8, "big") for token in prompt]))
    natural = max(_SHORTEST + seed % _SPREAD, limits.min_tokens)
    wanted = limits.max_tokens if limits.ignore_eos else min(limits.max_tokens, natural)
    pieces = tokenizer.pieces(_text(seed, wanted, _GARBLED if garbled else _OPENING))[:wanted]
    ended = natural < limits.max_tokens and not limits.ignore_eos
    answer = Answer(tuple(token for token, _ in pieces), tuple(text for _, text in pieces), "stop" if ended else "length")
    return _stopped(answer, limits)


def _text(seed: int, tokens: int, opening: str) -> str:
    """Text of `tokens` tokens and more: no tokenizer makes fewer than one token of two of these words."""
    start, step = seed % len(_WORDS), 1 + seed % 7
    return " ".join([opening, *(_WORDS[(start + index * step) % len(_WORDS)] for index in range(2 * tokens))])


def _stopped(answer: Answer, limits: Limits) -> Answer:
    """`answer`, cut before the first stop string that appears in it after `min_tokens` tokens."""
    text = ""
    for count, piece in enumerate(answer.pieces, start=1):
        text += piece
        found = [stop for stop in limits.stop if stop in text] if count > limits.min_tokens else []
        if found:
            first = min(found, key=text.index)
            return _cut(answer, count, text.index(first), first)
    return answer


def _cut(answer: Answer, tokens: int, characters: int, stop: str) -> Answer:
    kept: list[str] = []
    for piece in answer.pieces[:tokens]:
        kept.append(piece[: max(characters, 0)])
        characters -= len(piece)
    return Answer(answer.tokens[:tokens], tuple(kept), "stop", stop)
