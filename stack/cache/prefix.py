"""Hashes of a prompt's leading bytes: equal hashes mean equal beginnings, without any tokenizer."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import accumulate
from struct import Struct

from xxhash import xxh3_64_intdigest

PIECE_BYTES = 512  # about 128 tokens of English: small enough for a chat's turns, large enough to be cheap
_SHARE = 16  # a piece is at most so much of what is before it: what a long prompt costs grows with its length's logarithm
_LONGEST = 1 << 20  # prompts that agree so far are the same document


def _sizes() -> Iterator[int]:
    size, end = PIECE_BYTES, 0
    while end < _LONGEST:
        if end >= 2 * size * _SHARE:
            size *= 2
        yield size
        end += size


_SIZES = tuple(_sizes())
_ENDS = tuple(accumulate(_SIZES))
PIECES_MAX = len(_SIZES)
# How many bytes so many leading pieces have. What stands for a chat's opening may follow the last one, and has none.
PREFIX_BYTES = (0, *_ENDS, _ENDS[-1])


@lru_cache(maxsize=PIECES_MAX + 1)
def _cutter(pieces: int) -> Struct:
    return Struct("".join(f"{size}s" for size in _SIZES[:pieces]))


def whole_pieces(length: int) -> int:
    """How many whole leading pieces there are in so many bytes."""
    return bisect_right(_ENDS, length)


def prefix_hashes(data: bytes, seed: int = 0) -> list[int]:
    """One 64-bit hash for each whole leading piece of `data`, each chained over all pieces before it, and over `seed`.

    A last piece that is not full is left out, since it may still grow.
    """
    parent = seed
    return [parent := xxh3_64_intdigest(piece, parent) for piece in _cutter(whole_pieces(len(data))).unpack_from(data)]


def opening_of(data: bytes, length: int, hashes: Sequence[int], seed: int = 0) -> tuple[int, int]:
    """One 64-bit hash of the first `length` bytes of `data`, and how many whole pieces they have.

    `hashes` are those of `data` with `seed`: the last whole piece's stands for all before it.
    """
    pieces = whole_pieces(length)
    return xxh3_64_intdigest(data[PREFIX_BYTES[pieces] : length], hashes[pieces - 1] if pieces else seed), pieces


def whole_hash(data: bytes | memoryview, seed: int = 0) -> int:
    """One 64-bit hash of all of `data`, however short or long."""
    return xxh3_64_intdigest(data, seed)
