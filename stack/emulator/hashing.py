"""vLLM's `sha256_cbor` chain of block hashes, so that events and caches name blocks as the real engine would."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import NamedTuple

# PYTHONHASHSEED=0 is what the one-machine stack gives its real engines.
_SEED = "0"
_LOW_64_BITS = (1 << 64) - 1
_UNSIGNED, _BYTES, _TEXT, _ARRAY = 0, 2, 3, 4
_NULL = b"\xf6"


class Lora(NamedTuple):
    """A LoRA adapter that a prompt is computed with: one that bears the same name but lies elsewhere is another."""

    name: str
    path: str


class BlockChain:
    """Hashes the blocks of one prompt in order; equal prefixes (and salts, and adapters) give equal hashes."""

    __slots__ = ("_adapter", "_parent", "_salt")

    def __init__(self, salt: str | None = None, adapter: Lora | None = None) -> None:
        self._parent = _ROOT
        self._salt = salt
        self._adapter = () if adapter is None else (("lora", *adapter),)

    def extend(self, tokens: Sequence[int]) -> int:
        """The hash of the next full block, as events carry it: the low 64 bits."""
        keys = self._adapter if self._salt is None else (*self._adapter, ("cache_salt", self._salt))
        extra = _tagged(keys) if keys else _NULL
        self._salt = None  # only the first block is salted; the chain carries it on
        body = _head(_ARRAY, 3) + _head(_BYTES, 32) + self._parent + _head(_ARRAY, len(tokens))
        body += b"".join([_token(token) for token in tokens]) + extra
        self._parent = hashlib.sha256(body).digest()
        return int.from_bytes(self._parent, "big") & _LOW_64_BITS


def _head(major: int, value: int) -> bytes:
    """Canonical CBOR: the shortest head that holds `value`."""
    if value < 24:
        return bytes((major << 5 | value,))
    for code, size in ((24, 1), (25, 2), (26, 4), (27, 8)):
        if value < 1 << (8 * size):
            return bytes((major << 5 | code,)) + value.to_bytes(size, "big")
    raise OverflowError(f"{value} does not fit into 64 bits")


def _token(value: int) -> bytes:
    """Most token ids take two bytes or, where they are bytes of text, four."""
    if 0xFFFF < value <= 0xFFFF_FFFF:
        return b"\x1a" + value.to_bytes(4, "big")
    return _head(_UNSIGNED, value)


def _text(value: str) -> bytes:
    encoded = value.encode()
    return _head(_TEXT, len(encoded)) + encoded


def _tagged(keys: Sequence[Sequence[str]]) -> bytes:
    return _head(_ARRAY, len(keys)) + b"".join(_head(_ARRAY, len(key)) + b"".join(map(_text, key)) for key in keys)


_ROOT = hashlib.sha256(_text(_SEED)).digest()
