"""The time from one change of a model to the next, and the requests that it decided."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from stack.control.diff import Change
from stack.control.sample import Sample
from stack.control.window import Window


@dataclass(frozen=True, slots=True)
class Terms:
    """How long is measured, in seconds.

    `window`: at most that on either side of a change, and at most as many requests as a Window holds; other changes of the model
    cut it. `settle`: what comes right after a change is on neither side, at least so long, and until the pools are as desired,
    yet at most `settle_most`. `linger`: how long requests that were decided earlier are waited for.
    """

    window: float = 600.0
    settle: float = 10.0
    settle_most: float = 300.0
    linger: float = 60.0


@dataclass(slots=True)
class Epoch:
    """`changes` is what it began with. `first` are the earliest requests once it had settled, `newest` the latest ones; times are
    Unix seconds.

    `ended` is when the next change came, `followed_by` its generation. `lost` counts decision records, of whatever model, that
    did not arrive meanwhile; `late`: it was taken for settled though the pools were not as desired.
    """

    generation: int
    began: float
    terms: Terms
    changes: tuple[Change, ...] = ()
    settled: float | None = None
    late: bool = False
    ended: float | None = None
    followed_by: int | None = None
    settling: int = 0
    lost: int = 0
    first: Window = field(default_factory=Window)
    newest: Window = field(default_factory=lambda: Window(newest=True))

    def look(self, now: float, *, as_desired: bool) -> None:
        """Settle, when it is time."""
        waited = now - self.began
        if self.settled is None and waited >= self.terms.settle and (as_desired or waited >= self.terms.settle_most):
            self.settled, self.late = now, not as_desired

    def end(self, now: float, followed_by: int) -> None:
        """Another change came."""
        self.ended, self.followed_by = now, followed_by

    def add(self, sample: Sample) -> None:
        """Take a request that it decided."""
        if self.settled is None or sample.at < self.settled:
            self.settling += 1
            return
        if sample.at < self.settled + self.terms.window:
            self.first.add(sample)
        self.newest.add(sample)

    def over(self, now: float) -> bool:
        """Nothing more will come that belongs to its first requests."""
        if self.first.full:
            return True
        if self.ended is not None and now >= self.ended + self.terms.linger:
            return True
        return self.settled is not None and now >= self.settled + self.terms.window + self.terms.linger

    def before(self, change: float) -> Iterable[Sample]:
        """Its latest requests, as far as they were decided within a window before `change`."""
        return (sample for sample in self.newest if sample.at >= change - self.terms.window)
