"""Our own names for blocks of tokens: a chain of 60-bit hashes, equal wherever prompts begin with equal tokens.

Engines name blocks by hashes that depend on their version, seed and settings; their events carry the tokens, so nothing
of that has to be known here.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from struct import iter_unpack

from xxhash import xxh3_64_intdigest

ROOT = 0
TOKEN_TYPE = "I"  # an array of this type is hashed as it is; anything else is copied into one first
# Python keeps a number of 60 bits in 32 bytes and one of 64 in 48; among ten million blocks, one fleet in 20,000 has two alike.
_BITS = (1 << 60) - 1
_TOKEN_BYTES = array(TOKEN_TYPE).itemsize


def block_hashes(parent: int, tokens: Sequence[int], block_tokens: int, extras: Sequence[bytes | None] = ()) -> list[int]:
    """One hash for each whole block of `tokens`, chained from `parent` (ROOT: the prompt's beginning).

    `extras` belong to the leading blocks, None to a plain one. Raises OverflowError when a token is no 32-bit number.
    """
    held = tokens if isinstance(tokens, array) and tokens.typecode == TOKEN_TYPE else array(TOKEN_TYPE, tokens)
    data = memoryview(held).cast("B")
    size = block_tokens * _TOKEN_BYTES
    pieces = iter_unpack(f"{size}s", data[: len(data) // size * size])
    hashes = []
    for extra, (piece,) in zip(extras, pieces, strict=False):  # extras first: when they end, no piece has been taken for them
        parent = xxh3_64_intdigest(piece, parent if extra is None else xxh3_64_intdigest(extra, parent)) & _BITS
        hashes.append(parent)
    return hashes + [parent := xxh3_64_intdigest(piece, parent) & _BITS for (piece,) in pieces]
