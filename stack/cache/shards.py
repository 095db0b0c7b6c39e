"""A large dictionary in many parts: each grows by itself, so that no single entry costs the copying of millions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain

PARTS = 256
PART = PARTS - 1  # the mask of the bits that tell a key's part


class Shards:
    """Numbers by numbers whose low bits are spread evenly. `parts[key & PART]` is where a key is, for who cannot afford a call."""

    __slots__ = ("parts", "size")

    def __init__(self) -> None:
        self.parts: tuple[dict[int, int], ...] = tuple({} for _ in range(PARTS))
        self.size = 0

    @classmethod
    def of(cls, content: Mapping[int, int]) -> Shards:
        """The same content, in parts."""
        made = cls()
        for key, value in content.items():
            made.put(key, value)
        return made

    def get(self, key: int) -> int | None:
        """The key's value, None when there is none."""
        return self.parts[key & PART].get(key)

    def put(self, key: int, value: int) -> None:
        """Set the key's value."""
        part = self.parts[key & PART]
        before = len(part)
        part[key] = value
        self.size += len(part) - before

    def pop(self, key: int) -> int | None:
        """Take the key out; its value, None when there was none."""
        value = self.parts[key & PART].pop(key, None)
        if value is not None:
            self.size -= 1
        return value

    def items(self) -> Iterator[tuple[int, int]]:
        """Keys with their values, in no order."""
        return chain.from_iterable(part.items() for part in self.parts)

    def values(self) -> Iterator[int]:
        """The values, in no order."""
        return chain.from_iterable(part.values() for part in self.parts)
