"""Our own names for blocks of tokens: a chain of 64-bit hashes, equal wherever prompts begin with equal tokens.

Engines name blocks by hashes that depend on their version, seed and settings; their events carry the tokens, so nothing
of that has to be known here.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence

from xxhash import xxh3_64_intdigest

ROOT = 0
_TOKEN_BYTES = array("I").itemsize


def block_hashes(parent: int, tokens: Sequence[int], block_tokens: int, extras: Sequence[bytes | None] = ()) -> list[int]:
    """One hash for each whole block of `tokens`, chained from `parent` (ROOT: the prompt's beginning).

    `extras` belong to the leading blocks, None to a plain one. Raises OverflowError when a token is no 32-bit number.
    """
    data = memoryview(array("I", tokens)).cast("B")
    size = block_tokens * _TOKEN_BYTES
    hashes = []
    for index, start in enumerate(range(0, len(data) - size + 1, size)):
        extra = extras[index] if index < len(extras) else None
        seed = parent if extra is None else xxh3_64_intdigest(extra, parent)
        parent = xxh3_64_intdigest(data[start : start + size], seed)
        hashes.append(parent)
    return hashes
