"""Chains of block hashes, kept stretch by stretch: a prompt that begins as one before it is hashed from there on only."""

from __future__ import annotations

from array import array
from collections.abc import Sequence

from xxhash import xxh3_128_digest

from stack.cache.blocks import ROOT, TOKEN_TYPE, block_hashes
from stack.cache.packed import PackedCache

# Blocks of a stretch: shorter ones would cost more to look up and keep, of longer ones more is hashed when a prompt has grown.
STRETCH_BLOCKS = 128
_HASH_TYPE = "Q"


class Chains:
    """What `block_hashes` gives, at the price of what is new. `bytes_max` bounds what is kept."""

    def __init__(self, bytes_max: int) -> None:
        self._kept = PackedCache(bytes_max)

    @property
    def kept_bytes(self) -> int:
        """What is kept takes."""
        return self._kept.bytes

    def hashes(self, tokens: Sequence[int], block_tokens: int, extras: Sequence[bytes | None] = ()) -> list[int]:
        """As `block_hashes` from ROOT on."""
        held = tokens if isinstance(tokens, array) and tokens.typecode == TOKEN_TYPE else array(TOKEN_TYPE, tokens)
        at = len(extras) * block_tokens
        chain = block_hashes(ROOT, held[:at], block_tokens, extras)
        stretch = STRETCH_BLOCKS * block_tokens
        while at + stretch <= len(held):
            chain += self._stretch(held[at : at + stretch], chain[-1] if chain else ROOT, block_tokens)
            at += stretch
        return chain + block_hashes(chain[-1] if chain else ROOT, held[at:], block_tokens)

    def _stretch(self, tokens: array[int], parent: int, block_tokens: int) -> list[int]:
        # Stretches of blocks of other sizes have other lengths, so the size need not be part of the key.
        key = xxh3_128_digest(tokens, parent)
        packed = self._kept.get([key])[0]
        if packed is not None:
            return array(_HASH_TYPE, packed).tolist()
        hashes = block_hashes(parent, tokens, block_tokens)
        self._kept.put([(key, array(_HASH_TYPE, hashes).tobytes())])
        return hashes
