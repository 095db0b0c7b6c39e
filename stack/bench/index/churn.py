"""What an engine with a full cache tells: a prompt's new blocks in one event, and one event for each block that made room."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

import msgspec

from stack.emulator.events import Journal, Medium

_VOCABULARY = 128_000


@dataclass(frozen=True, slots=True)
class Churn:
    """`steps` messages of `blocks_per_step` stored blocks each, and as many removed once `capacity` is full."""

    steps: int
    blocks_per_step: int = 32
    block_tokens: int = 16
    capacity: int = 16_384

    @property
    def removed(self) -> int:
        """How many blocks are removed in all."""
        return max(self.steps * self.blocks_per_step - self.capacity, 0)

    def payloads(self, seed: int) -> Iterator[bytes]:
        """The messages as vLLM encodes them, each prompt unlike all others; equal for equal seeds."""
        chance = random.Random(seed)
        encoder = msgspec.msgpack.Encoder()
        journal = Journal(self.block_tokens, lambda: None)
        held: deque[int] = deque()
        for step in range(self.steps):
            names = [chance.getrandbits(64) for _ in range(self.blocks_per_step)]
            tokens = chance.choices(range(_VOCABULARY), k=self.blocks_per_step * self.block_tokens)
            held.extend(names)
            leaving = [held.popleft() for _ in range(max(len(held) - self.capacity, 0))]
            journal.removed(Medium.GPU, leaving)
            journal.stored(names, None, tokens, None)
            yield encoder.encode(journal.take(float(step)))
