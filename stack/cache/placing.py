"""One prompt's placement: its chain of blocks, held against what the asked engines' ranks hold."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType

from msgspec.structs import replace

from stack.cache.chains import Chains
from stack.cache.followed import Followed, Knowledge
from stack.cache.holders import Holders
from stack.cache.walk import depths, farther, proved_depth
from stack.model.placement import EnginePlacement, Placement, UnknownReason
from stack.model.tier import Tier

_Reach = tuple[int, int, int]  # tokens in the engine's own memory, in L1 and in L2 after that


def place(
    tokens: Sequence[int],
    extras: Sequence[bytes | None],
    asked: Mapping[str, Sequence[Followed]],
    holders: Mapping[Tier, Holders],
    chains: Chains,
    now: float,
) -> Placement:
    """What each engine of `asked` (by its ranks) reaches of the prompt; engines of which nothing is known are left out."""
    known = {name: [rank for rank in ranks if rank.knowledge is not Knowledge.UNKNOWN] for name, ranks in asked.items()}
    sizes: dict[int, list[Followed]] = {}
    for ranks in known.values():
        for rank in ranks:
            if rank.blocks.block_tokens is not None:
                sizes.setdefault(rank.blocks.block_tokens, []).append(rank)
    reached: dict[int, _Reach] = {}
    for size, sources in sizes.items():
        chain = chains.hashes(tokens, size, extras)[: max(len(tokens) - 1, 0) // size]
        reached.update(_reach(chain, size, sources, holders))
    placed = {
        name: _placement(ranks[0], reached, now) if len(asked[name]) == 1 else _merge(asked[name], ranks, reached, now)
        for name, ranks in known.items()
        if ranks
    }
    return Placement(MappingProxyType(placed), len(tokens), None if placed else UnknownReason.NO_TRUSTED_ENGINE)


def _reach(chain: Sequence[int], size: int, sources: Iterable[Followed], holders: Mapping[Tier, Holders]) -> dict[int, _Reach]:
    own_masks, l1, l2 = (holders[tier].masks for tier in (Tier.ENGINE, Tier.L1, Tier.L2))
    sure = 0
    own: dict[int, int] = {}
    for source in sources:
        bit = source.blocks.certain.bit
        if source.blocks.doubted is None:
            sure |= bit
        else:
            own[bit] = proved_depth(chain, own_masks, bit, source.blocks.doubted.bit)
    own |= depths(chain, own_masks, sure)
    if not l1.size and not l2.size:
        return {bit: (depth * size, 0, 0) for bit, depth in own.items()}
    added = farther(chain, l1, l2, own)
    return {bit: (depth * size, added[bit][0] * size, added[bit][1] * size) for bit, depth in own.items()}


def _merge(ranks: Sequence[Followed], known: Sequence[Followed], reached: Mapping[int, _Reach], now: float) -> EnginePlacement:
    """An engine of several ranks reaches what its best one does; it is partial as soon as one rank is, or is not known."""
    placements = [(_placement(rank, reached, now), rank) for rank in known]
    best, holder = max(placements, key=lambda pair: pair[0].cached_tokens)
    partial = [held.partial_seconds for held, _ in placements if held.partial_seconds is not None]
    if len(known) < len(ranks):
        partial.append(0.0)
    rank = holder.rank if best.cached_tokens else None
    return replace(best, partial_seconds=min(partial, default=None), ranks=len(ranks), rank=rank)


def _placement(rank: Followed, reached: Mapping[int, _Reach], now: float) -> EnginePlacement:
    own, l1, l2 = reached.get(rank.blocks.certain.bit, (0, 0, 0))
    age = None if rank.seen_at is None else max(now - rank.seen_at, 0.0)
    partial = None if rank.partial_since is None else max(now - rank.partial_since, 0.0)
    return EnginePlacement(own, l1, l2, age_seconds=age, partial_seconds=partial)
