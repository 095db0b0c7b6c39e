"""Where the prompts of late part ways: what many of them share is nobody's own, and tells nothing about where to send one."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field

WINDOW_PROMPTS = 256  # twice as many pieces of each are kept at most: some 130,000, about 12 MiB
BRANCHES = 4  # one conversation asked again and again has a few; a system prompt or a document under questions has many


@dataclass(slots=True)
class _Window:
    """Some prompts in a row. Only pieces that were followed by different things are counted: the others are many."""

    prompts: int = 0
    first: dict[int, int | None] = field(default_factory=dict)
    branches: dict[int, dict[int | None, int]] = field(default_factory=dict)

    def note(self, pieces: Sequence[int], opening: int | None) -> None:
        """A chained hash has one past: where a piece was seen, all before it were, each followed by the next of them."""
        self.prompts += 1
        first, branches = self.first, self.branches
        known = self._known(pieces)
        followers = (*pieces[1:], opening)
        first.update(zip(pieces[known:], followers[known:], strict=True))
        if not known:
            return
        parting, follower = pieces[known - 1], followers[known - 1]
        if first[parting] != follower and parting not in branches:
            branches[parting] = {first[parting]: 1}
        for piece in filter(branches.__contains__, pieces[:known]):
            counts, follower = branches[piece], followers[pieces.index(piece)]
            counts[follower] = counts.get(follower, 0) + 1

    def _known(self, pieces: Sequence[int]) -> int:
        if pieces and pieces[-1] in self.first:
            return len(pieces)
        return bisect_left(pieces, True, hi=max(len(pieces) - 1, 0), key=lambda piece: piece not in self.first)

    def parts(self, piece: int, followers: int, share: float) -> bool:
        counts = self.branches[piece]
        return len(counts) - (None in counts) >= followers and sum(counts.values()) >= share * self.prompts


class Crowd:
    """Tells, from the last `window` to twice as many prompts, which pieces were followed by many different things.

    A piece is *shared* when at least `branches` different things followed it; a conversation that only grows shares
    nothing with itself. Bounded by the window, and by how many pieces a prompt may have.
    """

    def __init__(self, window: int = WINDOW_PROMPTS, branches: int = BRANCHES) -> None:
        if window < 1 or branches < 2:
            raise ValueError(f"crowd: window {window} must be >= 1 and branches {branches} >= 2")
        self._size = window
        self._branches = branches
        self._before = _Window()
        self._now = _Window()

    def note(self, pieces: Sequence[int], opening: int | None) -> None:
        """A prompt of these pieces was sent. `opening` stands for what follows its last piece; None when that may still grow."""
        if self._now.prompts == self._size:
            self._before, self._now = self._now, _Window()
        self._now.note(pieces, opening)

    def shared(self, pieces: Sequence[int], share: float = 0.0) -> int:
        """How many leading pieces are shared, and carried by at least `share` (0 to 1) of the prompts of a window."""
        return max(self._depth(window, pieces, share) for window in (self._now, self._before))

    def _depth(self, window: _Window, pieces: Sequence[int], share: float) -> int:
        if not window.branches:
            return 0
        for piece in filter(window.branches.__contains__, reversed(pieces)):
            if window.parts(piece, self._branches, share):
                return pieces.index(piece) + 1
        return 0
