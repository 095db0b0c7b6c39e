"""Tables as values: the page and the report draw the same."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from dashboard import amounts
from dashboard.amounts import FINE_PERCENT, PERCENT, hundredths
from dashboard.overall.pools import PoolNow
from dashboard.overall.questions import Asked
from dashboard.overall.served import Goal, Served, Spread
from stack.metrics.objective_queries import Objective
from stack.model.tier import Tier

Cell = str | float | None


@dataclass(frozen=True, slots=True)
class Column:
    """`form` is how a number is written, in printf's words; empty for text."""

    title: str
    help: str
    form: str = ""

    def written(self, cell: Cell) -> str:
        """The cell for people."""
        return amounts.UNKNOWN if cell is None else cell if isinstance(cell, str) else self.form % cell


@dataclass(frozen=True, slots=True)
class Table:
    """None is what nobody knows."""

    title: str
    help: str
    columns: Sequence[Column]
    rows: Sequence[Sequence[Cell]]


_WHERE = "Cluster and namespace, as Prometheus' labels say."
_WORDS = {Objective.TTFT: "First token", Objective.ITL: "Next tokens", Objective.REQUEST: "No failure"}


def models(several: Sequence[Served], asked: Asked) -> Table:
    """One row a fleet: what serves worst is seen beside the rest."""
    columns = (
        Column("model", "A served model; 'none' is for requests refused before they were read."),
        *([Column("where", _WHERE)] if any(str(each.fleet.site) for each in several) else []),
        Column("requests", f"Answered a second, over {asked.rated}. {asked.queries['requests'].help}", "%.2f /s"),
        Column("errors", "Share of 5xx; unknown without requests.", PERCENT),
        Column("TTFT p95", f"Of the slowest path, over {asked.told}. {asked.queries['ttft'].help}", "%.0f ms"),
        Column("ITL p95", f"Of the slowest path, over {asked.told}. {asked.queries['itl'].help}", "%.1f ms"),
        Column("in time", GOOD, f"at most {PERCENT}"),
        Column("engine hits", f"Over {asked.told}. {asked.queries['hits'].help}", PERCENT),
    )
    return Table("Models", "Each model, by fleet.", columns, [_model(each, len(columns) == 8) for each in several])


def goals(several: Sequence[Served], asked: Asked) -> Table:
    """One row an objective of a fleet; empty where no objective is told."""
    columns = (
        *([Column("model", "The served model."), Column("where", _WHERE)] if len(several) > 1 else []),
        Column("objective", "What is asked for, as the rules of alerts/rules/objectives say it."),
        Column("target", "The share that has to meet it: 1 minus the budget that alerts burn by.", PERCENT),
        Column("met", f"The share that met it over {asked.missed}, by the engines' own count.", FINE_PERCENT),
        Column("budget left", f"Of what {asked.missed} may miss, what was not missed; below 0 it is overdrawn.", PERCENT),
    )
    rows = [
        [*([each.fleet.model, str(each.fleet.site)] if len(several) > 1 else []), *_goal(goal)]
        for each in several
        for goal in each.goals
    ]
    return Table("Objectives", f"Over {asked.missed}. {GOOD}", columns, rows)


def pools(several: Sequence[PoolNow], asked: Asked) -> Table:
    """One row a pool."""
    places = any(str(each.fleet.site) for each in several)
    columns = (
        Column("model", "The served model."),
        *([Column("where", _WHERE)] if places else []),
        Column("pool", "What its engines do; empty where they are known by model alone."),
        Column("desired", asked.queries["replicas"].help, "%d"),
        Column("ready", f"As control sees it, else routers. {asked.queries['routable'].help}", "%d"),
        Column("listed", asked.queries["listed"].help, "%d"),
        Column("running", asked.queries["load"].help, "%d"),
        Column("waiting", asked.queries["load"].help, "%d"),
        Column("KV used", asked.queries["kv used"].help, PERCENT),
    )
    rows = [_pool(each, places) for each in several]
    return Table("Pools", "What control wants of each pool, and what its engines have to do.", columns, rows)


GOOD = (
    "Goodput counts requests that met every objective. Which requests missed which is not told, so it is at most the least of the "
    "shares that met one objective each. Next tokens are judged one by one, not by request: where theirs is the least share, "
    "that is an estimate and no bound."
)


def _model(each: Served, placed: bool) -> list[Cell]:
    return [
        each.fleet.model or "none",
        *([str(each.fleet.site)] if placed else []),
        each.rate,
        hundredths(each.errors),
        _milliseconds(each.ttft),
        _milliseconds(each.itl),
        hundredths(each.good),
        hundredths(each.hits.get(Tier.ENGINE)),
    ]


def _pool(each: PoolNow, placed: bool) -> list[Cell]:
    place = [str(each.fleet.site)] if placed else []
    engines = [each.desired, each.ready, each.listed]
    return [each.fleet.model, *place, each.pool, *engines, each.running, each.waiting, hundredths(each.kv_used)]


def _goal(goal: Goal) -> list[Cell]:
    within = "" if goal.objective is Objective.REQUEST else f" within {amounts.duration(goal.seconds)}"
    target = None if goal.budget is None else 1 - goal.budget
    return [f"{_WORDS[goal.objective]}{within}", hundredths(target), hundredths(goal.met), hundredths(goal.left)]


def _milliseconds(spreads: Mapping[str, Spread]) -> float | None:
    known = [spread.p95 for spread in spreads.values() if spread.p95 is not None]
    return 1000 * max(known) if known else None


def unknown(tables: Iterable[Table]) -> list[str]:
    """Which columns of which table have something that nobody knows."""
    return list(dict.fromkeys(chain.from_iterable(_unknown(table) for table in tables)))


def _unknown(table: Table) -> Iterable[str]:
    for number, column in enumerate(table.columns):
        if any(row[number] is None for row in table.rows):
            yield f"{table.title}: {column.title}"
