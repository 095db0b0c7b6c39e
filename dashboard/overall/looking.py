"""What the Overview shows, as values: from answers to a page or a report."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta

from dashboard.asking import Answers
from dashboard.overall import pools, served, tables
from dashboard.overall.fleets import known
from dashboard.overall.pools import PoolNow
from dashboard.overall.questions import Asked
from dashboard.overall.served import Served
from dashboard.overall.tables import Table
from stack.metrics.objective_queries import window_within
from stack.metrics.queries import Query


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

    def tables(self, queries: Mapping[str, Query], length: timedelta) -> list[Table]:
        """Models first where there are several; those without a row are left out."""
        found = [
            *([tables.models(self.fleets, queries)] if len(self.named) > 1 else []),
            tables.pools(self.pools, queries),
            tables.goals(self.named, window_within(length.total_seconds())),
        ]
        return [table for table in found if table.rows]


def seen(answers: Answers, asked: Asked) -> Seen:
    """What the answers to `asked.now` say."""
    found = known(answers, dict.fromkeys((*served.NAMES, *pools.NAMES)))
    return Seen(tuple(served.served(found)), tuple(pools.pools(found)), found.failed)
