"""What the Overview shows, as values: from answers to a page or a report."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from dashboard.asking import Answers
from dashboard.figures import Figure
from dashboard.overall import cards, pools, served, tables
from dashboard.overall.fleets import known
from dashboard.overall.pools import PoolNow
from dashboard.overall.questions import Asked
from dashboard.overall.served import Served
from dashboard.overall.tables import Table
from stack.model.tier import Source


@dataclass(frozen=True, slots=True)
class Seen:
    """Each fleet that anybody tells of, and its pools; `failed` says which questions had no answer, and why."""

    fleets: tuple[Served, ...]
    pools: tuple[PoolNow, ...]
    failed: tuple[str, ...]

    @property
    def named(self) -> tuple[Served, ...]:
        """Those whose model is known: of requests that were refused unread it is not."""
        return tuple(each for each in self.fleets if each.fleet.model)

    def tables(self, asked: Asked) -> list[Table]:
        """Models first where there are several; those without a row are left out."""
        found = [
            *([tables.models(self.fleets, asked)] if len(self.named) > 1 else []),
            tables.pools(self.pools, asked),
            tables.goals(self.named, asked),
        ]
        return [table for table in found if table.rows]

    def figures(self, asked: Asked) -> list[Figure]:
        """The numbers of the one fleet there is; of several what can be added up."""
        one = self.named[0] if self.named else cards.NOBODY
        return [cards.requests(self.fleets, asked), *(cards.of_one(one, asked) if len(self.named) <= 1 else ())]

    @property
    def shares(self) -> Mapping[Source, float]:
        """The share of each source in the prompt tokens of all fleets; empty where none came."""
        rates = {source: [each.sources[source] for each in self.fleets if source in each.sources] for source in Source}
        sums = {source: sum(told) for source, told in rates.items() if told}
        whole = sum(sums.values())
        return {source: rate / whole for source, rate in sums.items()} if whole else {}


def seen(answers: Answers, asked: Asked) -> Seen:
    """What the answers to `asked.now` say."""
    found = known(answers, dict.fromkeys((*served.NAMES, *pools.NAMES)))
    return Seen(tuple(served.served(found)), tuple(pools.pools(found)), found.failed)
