"""Hashes of a prompt's leading bytes: equal hashes mean equal beginnings, without any tokenizer."""

from __future__ import annotations

from xxhash import xxh3_64_intdigest

PIECE_BYTES = 512  # about 128 tokens of English: small enough for a chat's turns, large enough to be cheap
PIECES_MAX = 256  # 128 KiB; prompts that agree so far are the same document


def prefix_hashes(data: bytes, piece_bytes: int = PIECE_BYTES, limit: int = PIECES_MAX) -> tuple[int, ...]:
    """One 64-bit hash for each whole leading piece of `data`, each chained over all pieces before it.

    At most `limit` hashes; a last piece that is not full is left out, since it may still grow.
    """
    hashes = []
    parent = 0
    for end in range(piece_bytes, min(len(data), limit * piece_bytes) + 1, piece_bytes):
        parent = xxh3_64_intdigest(data[end - piece_bytes : end], parent)
        hashes.append(parent)
    return tuple(hashes)


def whole_hash(data: bytes | memoryview) -> int:
    """One 64-bit hash of all of `data`, however short or long."""
    return xxh3_64_intdigest(data)
