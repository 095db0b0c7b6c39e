"""The prompt-token waterfall: where the KV of every prompt token of every engine came from.

An engine counts a cached token when it schedules the request and the same token again, without its tier, when the
request gives its first output. So tiers are noted at scheduling (LMCache's by its look-up hits, which come just before)
and claimed at the first output. What is claimed is always exactly what the engine's prompt token counter gained:
the sources of an engine sum to its prompt tokens. Only deltas are added up; they are never negative.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field

from exporters.collector import EnginePrompt
from exporters.ledger import Ledger
from exporters.split import Hits
from stack.engines.lmcache import TierHits
from stack.engines.vllm import PromptTokens
from stack.model.tier import Source

# From scheduling to the first output: prefill of a long prompt on a busy core, or a slow transfer. A load that failed
# is noted but never counted, so a note cannot stay good for ever.
NOTES_GOOD_SECONDS = 120.0

Totals = Mapping[Source, float]


@dataclass(slots=True)
class _Account:
    """One engine's totals, and what its counters said last."""

    started: float | None = None
    last: PromptTokens | None = None
    totals: dict[Source, float] = field(default_factory=lambda: dict.fromkeys(Source, 0.0))
    owed: dict[Source, float] = field(default_factory=dict)
    notes: Ledger = field(default_factory=Ledger)

    def gain(self, now: EnginePrompt) -> PromptTokens:
        """What the counters gained since last time: all they show when the engine is new or restarted.

        Where counters of sources came or went (a version that is told only now, a rank that has no number) what they show
        is no gain: it was counted before, under another source.
        """
        last, self.last = self.last, now.tokens
        restarted = last is not None and self._restarted(now, last)
        self.started = now.started
        if last is not None and not restarted and now.tokens.like(last):
            return _minus(now.tokens, last)
        self.owed, self.notes = {}, Ledger()
        return now.tokens if last is None or restarted else PromptTokens(now.tokens.total - last.total)

    def loads(self, now: EnginePrompt) -> bool:
        """It loaded something that named no tier since last time."""
        last = self.last
        return last is not None and not self._restarted(now, last) and now.tokens.unspecified > last.unspecified

    def settle(self, now: float, gained: PromptTokens, split: Totals) -> None:
        """Add this interval's prompt tokens to the totals, each under one source."""
        self.notes.expire(now - NOTES_GOOD_SECONDS)
        self.notes.add(now, {**gained.admitted, **{source: split[source] + gained.admitted.get(source, 0.0) for source in split}})
        unexplained = gained.total
        for source, tokens in gained.counted.items():
            owed = self.owed.get(source, 0.0) + tokens
            paid = min(owed, unexplained)
            self.owed[source] = owed - paid
            self.totals[source] += paid
            unexplained -= paid
        for source, tokens in self.notes.take_oldest(unexplained).items():
            self.totals[source] += tokens
            unexplained -= tokens
        self.totals[gained.rest] += unexplained

    def _restarted(self, now: EnginePrompt, last: PromptTokens) -> bool:
        if now.started and self.started and now.started != self.started:
            return True
        return now.tokens.total < last.total or (now.tokens.like(last) and not now.tokens.follows(last))


class Waterfall:
    """Accumulates over scrapes, whoever asks for them and however often."""

    def __init__(self) -> None:
        self._accounts: dict[str, _Account] = {}
        self._hits = Hits()

    def update(
        self,
        now: float,
        engines: Collection[EnginePrompt],
        servers: Mapping[str, Mapping[str, TierHits]],
        listed: Callable[[str], bool],
    ) -> dict[str, Totals]:
        """Totals by source of each engine read in this scrape.

        `now` is in seconds and never falls; `servers` are LMCache's hits by server and model root; an engine that is
        not `listed` any more is forgotten, one that is but could not be read keeps its totals until it can. So does one
        that loaded something while a server that tells from which tier could not be read: its tokens can wait.
        """
        self._hits.forget_stale(now, servers)
        for server, hits in servers.items():
            self._hits.observe(now, server, hits)
        self._accounts = {name: account for name, account in self._accounts.items() if listed(name)}
        told = [engine for engine in engines if not self._must_wait(now, engine, servers)]
        newcomers = {engine.target.replica for engine in told} - self._accounts.keys()
        gains = {engine.target.replica: self._account(engine).gain(engine) for engine in told}
        splits = self._splits(now, told, gains, newcomers)
        for name, gained in gains.items():
            self._accounts[name].settle(now, gained, splits[name])
        return {engine.target.replica: dict(self._accounts[engine.target.replica].totals) for engine in engines}

    def _must_wait(self, now: float, engine: EnginePrompt, servers: Collection[str]) -> bool:
        account = self._accounts.get(engine.target.replica)
        return account is not None and account.loads(engine) and self._hits.may_come(now, engine.target.model_root, servers)

    def _account(self, engine: EnginePrompt) -> _Account:
        return self._accounts.setdefault(engine.target.replica, _Account())

    def _splits(
        self, now: float, engines: Collection[EnginePrompt], gains: Mapping[str, PromptTokens], newcomers: Collection[str]
    ) -> dict[str, Totals]:
        """Loads that named no tier, by source. Those from before an engine's first observation stay unknown."""
        splits: dict[str, Totals] = {name: {Source.UNKNOWN: gains[name].unspecified} for name in newcomers}
        loads: defaultdict[str, dict[str, float]] = defaultdict(dict)
        for engine in engines:
            if engine.target.replica not in newcomers:
                loads[engine.target.model_root][engine.target.replica] = gains[engine.target.replica].unspecified
        for root, of_root in loads.items():
            splits |= self._hits.split(now, root, of_root)
        return splits


def _minus(after: PromptTokens, before: PromptTokens) -> PromptTokens:
    return PromptTokens(
        total=after.total - before.total,
        counted={source: tokens - before.counted.get(source, 0.0) for source, tokens in after.counted.items()},
        admitted={source: tokens - before.admitted.get(source, 0.0) for source, tokens in after.admitted.items()},
        unspecified=after.unspecified - before.unspecified,
        rest=after.rest,
    )
