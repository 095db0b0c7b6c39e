"""Packed numbers (token ids, block hashes) of what was seen before, under hashes of it: no text is kept."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Sequence
from threading import Lock

ENTRY_BYTES = 220
"""What an entry takes beside its numbers: a key, a bytes object's head and their place in the table (CPython 3.11)."""


class PackedCache:
    """Packed numbers by key, the least recently used ones going first. Any thread.

    `bytes` is what the entries take, at most `bytes_max`; an entry larger than that is not kept.
    """

    def __init__(self, bytes_max: int) -> None:
        self._bytes_max = bytes_max
        self._entries: OrderedDict[bytes, bytes] = OrderedDict()
        self._lock = Lock()
        self.bytes = 0

    def get(self, keys: Sequence[bytes]) -> list[bytes | None]:
        """What is there under each key; it is now the most recently used."""
        entries = self._entries
        with self._lock:
            found = [entries.get(key) for key in keys]
            for key, packed in zip(keys, found, strict=True):
                if packed is not None:
                    entries.move_to_end(key)
        return found

    def put(self, new: Iterable[tuple[bytes, bytes]]) -> None:
        """Keep these, at the cost of older ones where need be."""
        with self._lock:
            for key, packed in new:
                size = ENTRY_BYTES + len(packed)
                if key in self._entries or size > self._bytes_max:
                    continue
                self._entries[key] = packed
                self.bytes += size
            while self.bytes > self._bytes_max:
                _, oldest = self._entries.popitem(last=False)
                self.bytes -= ENTRY_BYTES + len(oldest)
