"""One model's requests from change to change, and the reports of its changes."""

from __future__ import annotations

from collections.abc import Iterator

from stack.control.cost import Prices, cost
from stack.control.diff import Change
from stack.control.epoch import Epoch, Terms
from stack.control.readiness import Readiness, Ready
from stack.control.report import TIERS_UNKNOWN, Report, doubts, rows, side
from stack.control.sample import Sample
from stack.control.window import figures

EPOCHS_MAX = 64  # of which only the last one gets long; a change a second has as many within the time that is lingered


class Course:
    """Bounded in memory. Times are Unix seconds; `generation` is the one in force at `began`, of which nothing is reported.

    `prices` are those of now.
    """

    def __init__(self, model: str, generation: int, began: float, prices: Prices, terms: Terms | None = None) -> None:
        self.model, self.prices = model, prices
        self._readiness = Readiness()
        self._terms = terms or Terms()
        self._epochs = [Epoch(generation, began, self._terms, settled=0.0)]  # whatever it decided before was long settled

    @property
    def settling(self) -> bool:
        """The last change is not settled yet."""
        return self._epochs[-1].settled is None

    def changed(self, generation: int, now: float, changes: tuple[Change, ...] = ()) -> tuple[Report, ...]:
        """`changes` make the model what `generation` wants from now on. What has to be told early then, to stay within bounds."""
        self._epochs[-1].end(now, generation)
        self._epochs.append(Epoch(generation, now, self._terms, changes))
        return () if len(self._epochs) <= EPOCHS_MAX else (self._tell(),)

    def add(self, sample: Sample) -> None:
        """Take a request, on the side of the generation that decided it; one from before all that is remembered is left out."""
        for epoch in reversed(self._epochs):
            if epoch.generation <= sample.generation:
                epoch.add(sample)
                return

    def lost(self, records: int) -> None:
        """So many decision records did not arrive."""
        self._epochs[-1].lost += records

    def look(self, now: float, ready: Ready, *, as_desired: bool) -> tuple[Report, ...]:
        """What is complete now, once. `ready` are the model's engines that are; `as_desired`: its pools are."""
        self._readiness.note(now, ready)
        self._epochs[-1].look(now, as_desired=as_desired)
        complete = []
        while len(self._epochs) > 1 and self._epochs[1].over(now):
            complete.append(self._tell())
        return tuple(complete)

    def unfinished(self) -> tuple[Report, ...]:
        """The reports of changes that are still being measured, as they are now."""
        return tuple(self._report(*pair, complete=False) for pair in zip(self._epochs, self._epochs[1:], strict=False))

    def report(self, generation: int) -> Report | None:
        """That change's report as it is now; None where nothing is measured of it (any more)."""
        for old, new in zip(self._epochs, self._epochs[1:], strict=False):
            if new.generation == generation:
                return self._report(old, new, complete=False)
        return None

    def _tell(self) -> Report:
        """The oldest change's report, which then is forgotten."""
        report = self._report(self._epochs[0], self._epochs[1], complete=True)
        del self._epochs[0]
        return report

    def _report(self, old: Epoch, new: Epoch, *, complete: bool) -> Report:
        earlier, later = list(old.before(new.began)), list(new.first)
        before, after = figures(earlier), figures(later)
        return Report(
            generation=new.generation,
            model=self.model,
            at=new.began,
            changes=new.changes,
            complete=complete,
            settled_seconds=None if new.settled is None else new.settled - new.began,
            followed_by=new.followed_by,
            followed_seconds=None if new.ended is None else new.ended - new.began,
            settling=new.settling,
            before=side(before),
            after=side(after),
            rows=rows(before, after),
            cost_before=cost(earlier, self.prices, self._readiness),
            cost_after=cost(later, self.prices, self._readiness),
            notes=(*doubts(before, after), *_notes(old, new), TIERS_UNKNOWN),
        )


def _notes(old: Epoch, new: Epoch) -> Iterator[str]:
    if new.late and new.settled is not None:
        yield f"After {new.settled - new.began:.0f} s the pools were not as desired yet; what came then counts all the same."
    if new.ended is not None and (new.settled is None or new.ended < new.settled + new.terms.window):
        unsettled = ", before this one had settled" if new.settled is None else ""
        yield f"Generation {new.followed_by} came {new.ended - new.began:.0f} s later{unsettled}."
    if old.lost + new.lost:
        yield f"{old.lost + new.lost} decision records were lost on their way; the requests they were of are on neither side."
