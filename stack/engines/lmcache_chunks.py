"""How an LMCache server names the chunks of a prompt, so that what it reports can be found by token ids.

LMCache 0.5.6 with its default `--hash-algorithm blake3`: a chunk's name is BLAKE3 over the name before it (32 bytes) and the
chunk's token ids as 32-bit big-endian numbers; before the first chunk stands the name of eight zero bytes and one zero token.
"""

from __future__ import annotations

import sys
from array import array
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Protocol

ALGORITHM = "blake3"
_TOKEN_BYTES = 4


class _Digest(Protocol):
    def digest(self) -> bytes: ...


def knows(algorithm: str | None) -> bool:
    """Whether chunks named by `algorithm`, as the server's /status gives it, can be named here."""
    return algorithm == ALGORITHM and _blake3() is not None


def chunk_names(tokens: Sequence[int], chunk_tokens: int, before: bytes | None = None) -> list[bytes]:
    """One name for each whole chunk of `tokens`, which follow the chunk `before`: 2,000 tokens take about 20 microseconds.

    Raises OverflowError when a token is no 32-bit number, LookupError when `knows(ALGORITHM)` is false.
    """
    blake3 = _blake3()
    if blake3 is None:
        raise LookupError("the package blake3 is not installed")
    numbers = array("I", tokens)
    if sys.byteorder == "little":
        numbers.byteswap()
    data, size = numbers.tobytes(), chunk_tokens * _TOKEN_BYTES
    name, names = before or blake3(bytes(8 + _TOKEN_BYTES)).digest(), []
    for start in range(0, len(data) - size + 1, size):
        name = blake3(name + data[start : start + size]).digest()
        names.append(name)
    return names


@lru_cache(maxsize=1)
def _blake3() -> Callable[[bytes], _Digest] | None:
    """The one dependency that only routers in front of LMCache need; without it its tiers are unknown, with the reason."""
    try:
        from blake3 import blake3
    except ModuleNotFoundError:
        return None
    made: Callable[[bytes], _Digest] = blake3
    return made
