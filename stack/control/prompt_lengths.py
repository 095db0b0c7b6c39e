"""How long recorded prompts were: a histogram in even steps of a logarithmic scale."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Collection, Iterable

import msgspec

from stack.control.break_even import BAND_LEAST
from stack.control.state import THRESHOLD_MAX

PER_DOUBLING = 4  # steps: prompts of one bin differ by a fifth in length


class LengthBin(msgspec.Struct, frozen=True, kw_only=True):
    """`requests` with prompts of `least` tokens and more, below `below`.

    `held` of them go straight to a decode engine whatever the threshold, since one was known to hold nearly all of the prompt;
    of `unsure` ones it may be so: an engine that was not recorded may have held them.
    """

    least: int
    below: int
    requests: int
    held: int
    unsure: int


def lengths(prompts: Iterable[tuple[int, bool | None]], cuts: Collection[int] = ()) -> tuple[LengthBin, ...]:
    """The bins that hold any of `prompts` (tokens, and whether a decode engine held it), shortest first; `cuts` begin bins, too."""
    edges = sorted({*scale(), *cuts})
    seen: dict[int, list[bool | None]] = defaultdict(list)
    for tokens, held in prompts:
        seen[bisect_right(edges, tokens) - 1].append(held)
    return tuple(_bin(edges, place, seen[place]) for place in sorted(seen))


def scale() -> tuple[int, ...]:
    """Where bins begin: at 0, at BAND_LEAST, and from there on in even steps up to what a threshold may be."""
    steps = [0]
    while steps[-1] < THRESHOLD_MAX:
        steps.append(round(BAND_LEAST * 2 ** ((len(steps) - 1) / PER_DOUBLING)))
    return tuple(steps)


def _bin(edges: list[int], place: int, held: list[bool | None]) -> LengthBin:
    least = edges[place]
    return LengthBin(
        least=least,
        below=edges[place + 1] if place + 1 < len(edges) else least * 2,
        requests=len(held),
        held=sum(one is True for one in held),
        unsure=sum(one is None for one in held),
    )
