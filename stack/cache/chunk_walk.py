"""How far a prompt's chunks can be had from the tiers behind an engine, and where knowing ends."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate

from stack.model.chunk import CacheDoubt, Chunk
from stack.model.tier import Tier

# True: the tier has the chunk; False: it has not; else why nobody can tell.
Answer = bool | CacheDoubt
Doubts = tuple[tuple[Tier, CacheDoubt], ...]


@dataclass(frozen=True, slots=True)
class Walk:
    """One prompt's leading chunks: in which tier each is, up to the first that is in none, or of which nobody can tell.

    `ends` are the chunks' last tokens, counted from the prompt's start, `from_l1` and `from_l2` what each tier has up to
    there; all three begin with 0. `reach` is where the prompt's last whole chunk ends.
    """

    ends: Sequence[int]
    from_l1: Sequence[int]
    from_l2: Sequence[int]
    reach: int
    doubts: Doubts = ()

    @classmethod
    def blind(cls, prompt_tokens: int, chunk_tokens: int, reason: CacheDoubt) -> Walk:
        """Nothing is known of either tier, except that they hold whole chunks only."""
        reach = _reach(prompt_tokens // chunk_tokens, chunk_tokens, prompt_tokens)
        return cls((0,), (0,), (0,), reach, ((Tier.L1, reason), (Tier.L2, reason)))

    def beyond(self, engine_tokens: int) -> tuple[int | None, int | None, Doubts]:
        """Tokens that L1 and L2 add for an engine that has the first `engine_tokens` itself; None where it cannot be told.

        A cache server gives a prompt's beginning or nothing, so the engine's tokens do not fill a hole in it.
        """
        if self.reach <= engine_tokens:
            return 0, 0, ()
        doubted = {tier for tier, _ in self.doubts}
        l1 = None if Tier.L1 in doubted else self.from_l1[-1] - self._upto(self.from_l1, engine_tokens)
        l2 = None if Tier.L2 in doubted else self.from_l2[-1] - self._upto(self.from_l2, engine_tokens)
        return l1, l2, self.doubts

    def _upto(self, tokens: Sequence[int], engine_tokens: int) -> int:
        """How many of a tier's tokens the engine has as well; within a chunk they are all of one tier."""
        for index in range(1, len(self.ends)):
            if self.ends[index] >= engine_tokens:
                inside = engine_tokens - self.ends[index - 1]
                return tokens[index - 1] + (inside if tokens[index] > tokens[index - 1] else 0)
        return tokens[-1]


def walk(
    chunks: Sequence[Chunk], chunk_tokens: int, prompt_tokens: int, l1: Callable[[Chunk], Answer], l2: Callable[[Chunk], Answer]
) -> Walk:
    """Look chunk after chunk where it is. The last token of a prompt is always computed, so it never counts."""
    ends, has_l1, has_l2, doubts = [0], [0], [0], {}
    for index, chunk in enumerate(chunks):
        end = min((index + 1) * chunk_tokens, prompt_tokens - 1)
        near = l1(chunk)
        far = near is not True and l2(chunk)
        if isinstance(near, CacheDoubt):
            doubts[Tier.L1] = near  # if not there it is in L2, or nowhere: how much L1 has is open from here on
        if near is not True and far is not True:
            if isinstance(far, CacheDoubt):
                doubts[Tier.L2] = far
            break
        size = end - ends[-1]
        ends.append(end)
        has_l1.append(size if near is True else 0)
        has_l2.append(0 if near is True else size)
    reach = _reach(len(chunks), chunk_tokens, prompt_tokens)
    return Walk(ends, list(accumulate(has_l1)), list(accumulate(has_l2)), reach, tuple(doubts.items()))


def _reach(chunks: int, chunk_tokens: int, prompt_tokens: int) -> int:
    return max(min(chunks * chunk_tokens, prompt_tokens - 1), 0)
