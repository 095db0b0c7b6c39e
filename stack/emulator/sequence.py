"""One request inside an emulated engine."""

from __future__ import annotations

from dataclasses import dataclass, field

from stack.emulator.answer import Answer
from stack.emulator.hashing import BlockChain, Lora
from stack.emulator.transfer import Intent


@dataclass(slots=True)
class Origin:
    """Where a prompt's tokens came from, in tokens; they sum to the prompt."""

    device: int = 0
    host: int = 0
    disk: int = 0
    peer: int = 0
    computed: int = 0

    @property
    def external(self) -> int:
        return self.host + self.disk + self.peer


@dataclass(slots=True)
class Times:
    """Seconds on the engine's clock; None until it happened."""

    arrived: float
    scheduled: float | None = None
    first_token: float | None = None
    last_token: float | None = None


@dataclass(slots=True, eq=False)
class Sequence:
    """A request's tokens, blocks and progress. `computed` tokens have their KV in `blocks`."""

    request_id: str
    prompt: tuple[int, ...]
    answer: Answer
    intent: Intent
    times: Times
    salt: str | None = None
    max_tokens: int = 0
    adapter: Lora | None = None
    origin: Origin = field(default_factory=Origin)
    tokens: list[int] = field(init=False)
    hashes: list[int] = field(default_factory=list)
    blocks: list[int] = field(default_factory=list)
    computed: int = 0
    published: int = 0  # blocks that were offered to the prefix cache
    generated: int = 0
    preemptions: int = 0
    gone: bool = False  # finished or aborted: a step under way no longer counts
    _chain: BlockChain = field(init=False)

    def __post_init__(self) -> None:
        self.tokens = list(self.prompt)
        self._chain = BlockChain(self.salt, self.adapter)

    def hash_full_blocks(self, block_size: int) -> list[int]:
        """Hashes of all full blocks so far; each is computed once."""
        while (start := len(self.hashes) * block_size) + block_size <= len(self.tokens):
            self.hashes.append(self._chain.extend(self.tokens[start : start + block_size]))
        return self.hashes

    @property
    def outstanding(self) -> int:
        """Tokens whose KV is missing: the prompt's rest, later the one token made last."""
        return len(self.tokens) - self.computed

    @property
    def decoding(self) -> bool:
        return self.generated > 0 and self.outstanding == 1

    @property
    def finished(self) -> bool:
        return self.generated >= len(self.answer.tokens)

    def advance(self) -> str:
        """One token more; answers its text."""
        self.tokens.append(self.answer.tokens[self.generated])
        self.generated += 1
        return self.answer.pieces[self.generated - 1]
