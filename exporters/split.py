"""Splits what engines loaded through LMCache into tiers, by LMCache's own look-up hits."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping

from exporters.ledger import Ledger
from stack.engines.lmcache import TierHits
from stack.model.tier import Source

# A look-up precedes the load it leads to by up to one engine step, so a scrape can fall between the two: its hits stay
# good for one more scrape at the longest common interval of 15 s, and that interval's jitter. Hits also count when the
# engine's own cache or a peer served the request; those are claimed by nobody and must not linger.
HITS_GOOD_SECONDS = 16.0


class Hits:
    """Look-up hits by model root that no load has claimed yet, over all LMCache servers."""

    def __init__(self) -> None:
        self._last: dict[str, Mapping[str, TierHits]] = {}
        self._read_at: dict[str, float] = {}
        self._unclaimed: defaultdict[str, Ledger] = defaultdict(Ledger)

    def observe(self, now: float, server: str, hits: Mapping[str, TierHits]) -> None:
        """Take in a server's cumulative hits. Its first observation only sets the base: those hits are of unknown age."""
        last = self._last.get(server)
        self._last[server], self._read_at[server] = hits, now
        if last is None:
            return
        for root, current in hits.items():
            before = last.get(root) or TierHits(0.0, 0.0, 0.0)
            if current.requested < before.requested:  # the server restarted, or its metrics were reset
                before = TierHits(0.0, 0.0, 0.0)
            # L2 first: a request takes from L1 what is left of L1's prefix beyond the engine's own, then all of L2's.
            fresh = {Source.L2: (current.l2 or 0.0) - (before.l2 or 0.0), Source.L1: (current.l1 or 0.0) - (before.l1 or 0.0)}
            self._unclaimed[root].add(now, fresh)

    def forget_stale(self, now: float, read: Collection[str]) -> None:
        """Drop hits that are too old to be claimed, and servers, other than those `read` this time, whose next hits would be.

        Engines have not waited for those: their loads are told, and older hits would be claimed by newer loads.
        """
        since = now - HITS_GOOD_SECONDS
        for server in [server for server, at in self._read_at.items() if server not in read and at < since]:
            del self._last[server], self._read_at[server]
        for root, waiting in list(self._unclaimed.items()):
            waiting.expire(since)
            if not waiting:
                del self._unclaimed[root]

    def __len__(self) -> int:
        """Of how many models hits wait to be claimed."""
        return len(self._unclaimed)

    def may_come(self, now: float, root: str, read: Collection[str]) -> bool:
        """A server of this model, not among those `read` this time, may yet tell of hits: it could be read a moment ago."""
        since = now - HITS_GOOD_SECONDS
        return any(server not in read and root in self._last[server] and at >= since for server, at in self._read_at.items())

    def split(self, now: float, root: str, loads: Mapping[str, float]) -> dict[str, dict[Source, float]]:
        """Each engine's load of this interval by source: an estimate, newest hits first, the rest unknown.

        Whole tokens only, so that sums stay exact.
        """
        claimed = self._unclaimed[root].take_newest(sum(loads.values()))
        return _shares(loads, claimed.get(Source.L2, 0.0), claimed.get(Source.L1, 0.0))


def _shares(loads: Mapping[str, float], l2: float, l1: float) -> dict[str, dict[Source, float]]:
    shares: dict[str, dict[Source, float]] = {}
    remaining = sum(loads.values())
    for engine, load in loads.items():
        own_l2 = min(load, round(l2 * load / remaining)) if remaining else 0.0
        own_l1 = min(load - own_l2, round(l1 * load / remaining)) if remaining else 0.0
        shares[engine] = {Source.L2: own_l2, Source.L1: own_l1, Source.UNKNOWN: load - own_l2 - own_l1}
        remaining, l2, l1 = remaining - load, l2 - own_l2, l1 - own_l1
    return shares
