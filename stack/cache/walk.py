"""How far along a prompt's chain of blocks each engine holds it: all engines in one pass over the chain."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from stack.cache.holders import bits
from stack.cache.shards import PART, Shards


def depths(chain: Sequence[int], masks: Shards, asked: int) -> dict[int, int]:
    """For each bit of `asked`, how many leading blocks of `chain` it holds without a gap."""
    found: dict[int, int] = {}
    there = asked
    parts, last = masks.parts, -1
    for depth, block in enumerate(chain):
        mask = parts[block & PART].get(block, 0)
        if mask is last:  # blocks with the same holders share their mask, and they mostly follow each other
            continue
        last = mask
        staying = there & mask
        if staying != there:
            for bit in bits(there ^ staying):
                found[bit] = depth
            there = staying
            if not there:
                return found
    for bit in bits(there):
        found[bit] = len(chain)
    return found


def proved_depth(chain: Sequence[int], masks: Shards, certain: int, doubted: int) -> int:
    """How many leading blocks one engine holds that lost events: up to the last `certain` one, over `doubted` ones.

    A block is stored only while all before it are held, and of each removal since it was told; so a certain block proves
    those before it that were perhaps there, as long as none of them is known to be gone.
    """
    proved = 0
    for depth, block in enumerate(chain, 1):
        mask = masks.get(block) or 0
        if mask & certain:
            proved = depth
        elif not mask & doubted:
            break
    return proved


def farther(chain: Sequence[int], l1: Shards, l2: Shards, own: Mapping[int, int]) -> dict[int, tuple[int, int]]:
    """For each bit of `own` (with its depth in the engine's memory) the blocks that L1 and L2 add after that, without a gap."""
    joining: dict[int, int] = {}
    for bit, depth in own.items():
        joining[depth] = joining.get(depth, 0) | bit
    added = dict.fromkeys(own, (0, 0))
    walking, start, run = 0, min(own.values(), default=0), (0, 0)
    for depth in range(start, len(chain)):
        walking |= joining.get(depth, 0)
        block = chain[depth]
        in_l1 = walking & (l1.get(block) or 0)
        walking_on = (in_l1, (walking ^ in_l1) & (l2.get(block) or 0))
        if walking_on != run:
            _credit(added, run, depth - start)
            start, run = depth, walking_on
        walking = walking_on[0] | walking_on[1]
    _credit(added, run, len(chain) - start)
    return added


def _credit(added: dict[int, tuple[int, int]], run: tuple[int, int], blocks: int) -> None:
    """A stretch of `blocks` over which the same engines found them in the same tiers."""
    for bit in bits(run[0]):
        l1, l2 = added[bit]
        added[bit] = (l1 + blocks, l2)
    for bit in bits(run[1]):
        l1, l2 = added[bit]
        added[bit] = (l1, l2 + blocks)
