"""What is asked in a run: conversations of turns, the same for every strategy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from stack.emulator.answer import Limits
from stack.router.openai import ParsedBody

MODEL = "bench"


@dataclass(frozen=True, slots=True)
class Turn:
    """One request, made ready beforehand: its parsed body, the tokens the engine sees, and how long its answer is."""

    kind: str
    parsed: ParsedBody
    tokens: tuple[int, ...]
    limits: Limits


@dataclass(frozen=True, slots=True)
class Conversation:
    """Turns of one client. `begins` counts mean gaps between conversations, so that any load can be made of one workload.

    After each answer the client takes `pauses` seconds, one for each turn but the last, before the next turn.
    """

    session: str
    begins: float
    turns: Sequence[Turn]
    pauses: Sequence[float] = ()


@dataclass(frozen=True, slots=True)
class Workload:
    """All conversations of a run, in the order of their beginnings."""

    name: str
    conversations: Sequence[Conversation]

    @property
    def prompt_tokens(self) -> int:
        return sum(len(turn.tokens) for conversation in self.conversations for turn in conversation.turns)

    @property
    def requests(self) -> int:
        return sum(len(conversation.turns) for conversation in self.conversations)
