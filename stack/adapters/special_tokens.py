"""What a tokenizer puts around a text that it is asked to give its special tokens (`<s>` and the like)."""

from __future__ import annotations

from array import array
from dataclasses import dataclass

from tokenizers import Tokenizer

_PROBES = ("a", "two words", "")


@dataclass(frozen=True, slots=True)
class Frame:
    """Tokens before and after a text's own."""

    before: array[int]
    after: array[int]


def frame(tokenizer: Tokenizer) -> Frame | None:
    """Found by trying; None when it is not the same tokens around every text."""
    pairs = [(_ids(tokenizer, probe, special=True), _ids(tokenizer, probe, special=False)) for probe in _PROBES]
    added = len(pairs[0][0]) - len(pairs[0][1])
    for at in range(added + 1):
        before, after = pairs[0][0][:at], pairs[0][0][len(pairs[0][0]) - added + at :]
        if all(framed == before + plain + after for framed, plain in pairs):
            return Frame(array("I", before), array("I", after))
    return None


def _ids(tokenizer: Tokenizer, text: str, *, special: bool) -> list[int]:
    ids: list[int] = tokenizer.encode(text, add_special_tokens=special).ids
    return ids
