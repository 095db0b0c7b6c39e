"""A text's tokens at the price of what is new in it: it is cut where its tokenizer never merges, and each part kept."""

from __future__ import annotations

import os
import secrets
from array import array
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from threading import Lock

from tokenizers import Tokenizer
from xxhash import xxh3_128_digest

from stack.adapters.split_points import SplitPoints, split_points
from stack.cache.packed import PackedCache
from stack.model.placement import PlacementUnknownError, UnknownReason

# Smaller parts would cost more to look up and keep, larger ones more to tokenize when a prompt has grown: about 250 tokens.
PART_CHARACTERS = 1024
# Tokenized at a time, before it is looked whether anybody still waits: some 10 ms.
BATCH_CHARACTERS = 32_768
# The library would else spread batches over all cores, of which the event loop's is one; it reads this at every call.
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")


class NobodyWaitsError(Exception):
    """Tokenizing was broken off because its result is no longer wanted."""


@dataclass(slots=True)
class Draft:
    """A text in parts, some of which have their packed tokens. `missing` counts the characters of the others."""

    parts: list[str]
    keys: list[bytes]
    packed: list[bytes | None]
    missing: int


def always() -> bool:
    """For callers that wait for as long as it takes."""
    return True


class PartTokenizer:
    """One tokenizer with a cache of at most `cache_bytes`. Any thread.

    `cached_tokens` and `computed_tokens` are running totals of what `tokens` told.
    """

    def __init__(self, tokenizer: Tokenizer, cache_bytes: int) -> None:
        self._tokenizer = tokenizer
        self._points: SplitPoints | None = split_points(tokenizer)
        self.cache = PackedCache(cache_bytes)
        self._seed = secrets.randbits(64)  # so that no client can make two texts that share a key
        self._counting = Lock()  # a counter that two threads add to might fall
        self.cached_tokens = 0
        self.computed_tokens = 0

    def draft(self, text: str) -> Draft:
        """What is known of the text: about a microsecond a kilobyte. Raises PlacementUnknownError."""
        parts = [text] if self._points is None else self._points.parts(text, PART_CHARACTERS)
        try:
            keys = [xxh3_128_digest(part.encode(), self._seed) for part in parts]
        except UnicodeEncodeError as error:  # half a surrogate pair
            raise PlacementUnknownError(UnknownReason.UNSUPPORTED_CONTENT, "text") from error
        packed = self.cache.get(keys)
        missing = sum(len(part) for part, ids in zip(parts, packed, strict=True) if ids is None)
        return Draft(parts, keys, packed, missing)

    def tokens(self, draft: Draft, wanted: Callable[[], bool] = always) -> array[int]:
        """The draft's tokens: about a microsecond for each that is missing. Raises NobodyWaitsError once not `wanted`."""
        made = 0
        for batch in _batches(draft):
            if not wanted():
                raise NobodyWaitsError
            made += self._fill(draft, batch)
        tokens = array("I", b"".join(draft.packed))  # type: ignore[arg-type]  # all of them are there by now
        with self._counting:
            self.computed_tokens += made
            self.cached_tokens += len(tokens) - made
        return tokens

    def _fill(self, draft: Draft, batch: list[int]) -> int:
        """Tokenize some of the missing parts, but for those that came in meanwhile. Returns how many tokens that made."""
        found = self.cache.get([draft.keys[number] for number in batch])
        for number, packed in zip(batch, found, strict=True):
            draft.packed[number] = packed
        missing = [number for number in batch if draft.packed[number] is None]
        # Unlike encode(), this one leaves offsets out and other threads running.
        encodings = self._tokenizer.encode_batch_fast([draft.parts[number] for number in missing], add_special_tokens=False)
        made = [
            (draft.keys[number], array("I", encoding.ids).tobytes()) for number, encoding in zip(missing, encodings, strict=True)
        ]
        self.cache.put(made)
        for number, (_, packed) in zip(missing, made, strict=True):
            draft.packed[number] = packed
        return sum(len(packed) for _, packed in made) // array("I").itemsize


def _batches(draft: Draft) -> Iterator[list[int]]:
    """The numbers of the missing parts, some at a time."""
    batch: list[int] = []
    room = BATCH_CHARACTERS
    for number, (part, packed) in enumerate(zip(draft.parts, draft.packed, strict=True)):
        if packed is not None:
            continue
        if batch and len(part) > room:
            yield batch
            batch, room = [], BATCH_CHARACTERS
        batch.append(number)
        room -= len(part)
    if batch:
        yield batch
