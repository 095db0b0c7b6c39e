"""Where prompts part ways: what many of them share is nobody's own, and tells nothing about where to send one."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Sequence

BRANCHES = 4  # one conversation asked again and again has a few; a system prompt or a document under questions has many
COMMON_SHARE = 0.8
SAMPLE = 128  # prompts of late by which it is told what nearly all carry


class Crowd:
    """Tells what different prompts share from where each new one leaves what is known, and from a sample of all.

    A piece is *shared* once `branches` different things have followed it; a conversation that only grows shares nothing with
    itself. Pieces are *common* that `COMMON_SHARE` of the last prompts carry.
    """

    def __init__(self, branches: int = BRANCHES, sample: int = SAMPLE) -> None:
        if branches < 2 or sample < 1:
            raise ValueError(f"crowd: branches {branches} must be >= 2 and sample {sample} >= 1")
        self._branches = branches
        self._parted: dict[int, int] = {}
        self._late: deque[Sequence[int]] = deque(maxlen=sample)
        self._until_look = self._sample = sample
        self._common: Sequence[int] = ()

    def __len__(self) -> int:
        return len(self._parted)

    def parted(self, piece: int) -> bool:
        """A prompt left what is known after `piece`; whether as many have as make it shared.

        The first thing that followed needed nothing known to leave.
        """
        count = self._parted[piece] = self._parted.get(piece, 1) + 1
        if count < self._branches:
            return False
        self._look()
        return True

    def note(self, pieces: Sequence[int]) -> None:
        """A prompt of these pieces was sent."""
        self._late.append(pieces)
        self._until_look -= 1
        if not self._until_look:
            self._look()

    def common(self, pieces: Sequence[int]) -> int:
        """How many leading pieces nearly every prompt carries."""
        depth = len(self._common)
        return depth if 0 < depth <= len(pieces) and pieces[depth - 1] == self._common[-1] else 0

    def forget(self) -> None:
        """Count anew who parts where."""
        self._parted = {}

    def _look(self) -> None:
        """What most of the sample begin with. A chained hash has one past: where pieces agree, so did all before them.

        It is mostly little or nothing, so that is looked for from the front, in steps that double.
        """
        self._until_look, self._common = self._sample, ()
        low, high = 0, max(map(len, self._late)) + 1
        while low + 1 < high:
            depth = min(max(2 * low, 1), (low + high) // 2)
            there = [pieces for pieces in self._late if len(pieces) >= depth]
            piece, count = Counter([pieces[depth - 1] for pieces in there]).most_common(1)[0]
            if count < COMMON_SHARE * len(self._late):
                high = depth
            else:
                low, self._common = depth, next(pieces[:depth] for pieces in there if pieces[depth - 1] == piece)
