"""Outcomes as a person or a program reads them."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from rich.console import Group
from rich.table import Table
from rich.text import Text

from stack.drill.drill import Drill
from stack.drill.trial import Outcome


def report(outcomes: Sequence[Outcome], skipped: Sequence[str], pace: float) -> Group:
    """A table, and under it what went wrong."""
    table = Table(box=None, pad_edge=False)
    for heading in ("", "drill", "required", "also, tolerated", "cleared"):
        table.add_column(heading, overflow="fold")
    for outcome in outcomes:
        word = Text("pass", style="green") if outcome.passed else Text("fail", style="bold red")
        table.add_row(word, outcome.drill, _required(outcome), ", ".join(outcome.tolerated), _cleared(outcome))
    notes = [Text(f"{outcome.drill}: {fault}") for outcome in outcomes for fault in faults(outcome)]
    left_out = [Text(f"{name}: left out, needs real engines", style="dim") for name in skipped]
    told = "as they are" if pace == 1 else f"at {pace:g} times their pace, no window shorter than 30 s"
    return Group(table, *notes, *left_out, Text(f"\nRules {told}. Times are from the break, and from its mending.", style="dim"))


def catalogue(known: Sequence[Drill]) -> Table:
    """Every drill there is."""
    table = Table(box=None, pad_edge=False)
    for heading in ("drill", "breaks", "must alert", "engines"):
        table.add_column(heading, overflow="fold")
    for drill in known:
        table.add_row(drill.name, drill.title, ", ".join(drill.required), "any" if drill.emulated else "real")
    return table


def faults(outcome: Outcome) -> list[str]:
    """What is wrong with it, one a line."""
    if outcome.fault is not None:
        return [f"could not be carried out: {outcome.fault}"]
    late = [alert for alert in outcome.required if alert not in outcome.arrived]
    found = [f"{alert} did not arrive within {outcome.within_seconds:.0f} s" for alert in late]
    found += [
        f"{alert} arrived, which nothing of this explains: {said or 'no summary'}" for alert, said in outcome.unexpected.items()
    ]
    return found + [f"{name} did not clear" for name in outcome.lingering]


def document(outcomes: Sequence[Outcome], skipped: Sequence[str], pace: float) -> str:
    """The same as one JSON document."""
    drills = [
        {
            "name": outcome.drill,
            "title": outcome.title,
            "passed": outcome.passed,
            "required": {alert: outcome.arrived.get(alert) for alert in outcome.required},
            "within_seconds": outcome.within_seconds,
            "tolerated": outcome.tolerated,
            "unexpected": outcome.unexpected,
            "cleared_seconds": outcome.cleared_seconds,
            "lingering": outcome.lingering,
            "fault": outcome.fault,
        }
        for outcome in outcomes
    ]
    return msgspec.json.encode({"pace": pace, "drills": drills, "skipped": list(skipped)}).decode()


def _required(outcome: Outcome) -> str:
    return ", ".join(f"{alert} {_seconds(outcome.arrived.get(alert))}" for alert in outcome.required)


def _cleared(outcome: Outcome) -> str:
    return _seconds(outcome.cleared_seconds)


def _seconds(value: float | None) -> str:
    return "-" if value is None else f"{value:.0f} s"
