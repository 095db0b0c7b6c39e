"""Which decisions of a report are new here: what was not answered in time is sent again, and may have come all the same."""

from __future__ import annotations

from dataclasses import dataclass

from stack.control.decision import DecisionRecord
from stack.control.link import RouterReport

LIVES_MOST = 1_024  # names and lives come over the network


@dataclass(frozen=True, slots=True)
class Delivery:
    """What one report adds to what is known: decisions, and how many more got lost."""

    decisions: tuple[DecisionRecord, ...] = ()
    lost: int = 0


class Deliveries:
    """How far the decisions of every router's life have come; of more lives than `most` the longest silent ones are forgotten.

    A decision counts once: as one that came, or as one that was lost. One that comes after what follows it was lost already.
    """

    def __init__(self, most: int = LIVES_MOST) -> None:
        self._most = most
        self._next: dict[tuple[str, str], int] = {}  # the first number that has not come yet, longest silent first

    def new(self, report: RouterReport) -> Delivery:
        """What `report` brings that no report before it brought. One of a router that tells no life is new as a whole."""
        if report.life is None:
            return _delivery(report.decisions, report.dropped)
        known = self._next.pop((report.id, report.life), None)
        begin = report.first if known is None else known
        lost = report.dropped if known is None else max(report.first - known, 0)
        self._next[report.id, report.life] = max(begin, report.first + len(report.decisions))
        while len(self._next) > self._most:
            del self._next[next(iter(self._next))]
        return _delivery(report.decisions[max(begin - report.first, 0) :], lost)


def _delivery(decisions: tuple[DecisionRecord | None, ...], lost: int) -> Delivery:
    told = tuple(record for record in decisions if record is not None)
    return Delivery(told, lost + len(decisions) - len(told))
