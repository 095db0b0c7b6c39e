"""Prompts of a wanted length that no cache has seen before."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import count
from pathlib import Path

from tokenizers import Tokenizer

from stack.demo.error import DemoError

_SUBJECTS = (
    "The router",
    "A decode engine",
    "The prefill pool",
    "One cache block",
    "The operator",
    "Each replica",
    "A long prompt",
)
_VERBS = ("reads", "keeps", "moves", "measures", "returns", "explains", "forgets")
_OBJECTS = (
    "the shared prefix",
    "a transferred block",
    "the oldest chunk",
    "every token it holds",
    "the next request",
    "its own counters",
)


def text_of(tokens: int, nonce: str, length_of: Callable[[str], int]) -> str:
    """English-like text of at most `tokens` tokens by `length_of`, and close to it, unique by its first words `nonce`."""
    text = f"Report {nonce}. "
    for number in count():
        longer = text + _sentence(number)
        if length_of(longer) > tokens:
            return text
        text = longer
    raise AssertionError("count() never ends")


def encoder(model_root: Path) -> Callable[[str], Sequence[int]]:
    """The tokens that the model at `model_root` makes of a text. Raises DemoError without its tokenizer."""
    file = model_root / "tokenizer.json"
    if not file.exists():
        raise DemoError(f"{file} is missing: `kvdeck up` installs it")
    tokenizer = Tokenizer.from_file(str(file))

    def encode(text: str) -> Sequence[int]:
        tokens: list[int] = tokenizer.encode(text).ids
        return tokens

    return encode


def _sentence(number: int) -> str:
    subject = _SUBJECTS[number % len(_SUBJECTS)]
    verb = _VERBS[number // 2 % len(_VERBS)]
    thing = _OBJECTS[number // 3 % len(_OBJECTS)]
    return f"{subject} {verb} {thing} in step {number}. "
