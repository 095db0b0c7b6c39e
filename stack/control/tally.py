"""What the arms of an experiment have come to, session by session."""

from __future__ import annotations

from hashlib import blake2b
from math import exp, log

import msgspec

from stack.control.decision import Arm, DecisionRecord
from stack.control.evidence import Difference, Ratio
from stack.control.experiment import Measure, Proposal, Sessions
from stack.control.sample import Answer, Sample

OPEN_MOST = 20_000  # sessions that are waited for at once; more are left out, whichever arm they are in
SECONDS_LEAST = 1e-6  # a clock's step: durations are divided


class Unit(msgspec.Struct, kw_only=True):
    """What was drawn into an arm as one, so far: a session, or a request without one. `last` is Unix seconds."""

    candidate: bool
    last: float
    requests: int = 0
    answered: int = 0
    failed: int = 0
    logs: list[float] = msgspec.field(default_factory=lambda: [0.0, 0.0])
    count: list[int] = msgspec.field(default_factory=lambda: [0, 0])

    def add(self, sample: Sample, waited: float | None) -> None:
        """One more request of it. A client that left before the first token `waited` for it, and would have for longer."""
        self.requests += 1
        ttft = waited if sample.answer is Answer.LEFT and sample.ttft is None else sample.ttft
        for number, seconds in enumerate((ttft, sample.gap)):
            if seconds is not None:
                self.logs[number] += log(max(seconds, SECONDS_LEAST))
                self.count[number] += 1
        if sample.answer in (Answer.GIVEN, Answer.FAILED):
            self.answered += 1
            self.failed += sample.answer is Answer.FAILED

    def typical(self, number: int) -> float | None:
        """The geometric mean of its requests' seconds; None where none of them told."""
        return exp(self.logs[number] / self.count[number]) if self.count[number] else None


class Tally(msgspec.Struct, kw_only=True):
    """All of it, as it is kept. Pairs are control arm, candidate. `left_out` requests came when too many sessions were open."""

    sessions: Sessions
    ttft: Ratio
    gap: Ratio
    failed: Difference
    open: dict[str, Unit] = {}
    counted: set[str] = set()
    units: list[int] = msgspec.field(default_factory=lambda: [0, 0])
    requests: list[int] = msgspec.field(default_factory=lambda: [0, 0])
    left_out: int = 0

    @classmethod
    def of(cls, proposal: Proposal) -> Tally:
        """Nothing yet; the nulls are those that the verdict hangs on."""
        share, rails, goal = proposal.share, proposal.guardrails, proposal.goal
        nulls = {Measure.TTFT: rails.ttft, Measure.GAP: rails.gap, Measure.FAILED: rails.failed}
        worse = {measure: [] if tolerated is None else [tolerated] for measure, tolerated in nulls.items()}
        worse[goal.measure].append(-goal.by)
        return cls(
            sessions=proposal.sessions,
            ttft=Ratio.of(share, *(1.0 + by for by in worse[Measure.TTFT])),
            gap=Ratio.of(share, *(1.0 + by for by in worse[Measure.GAP])),
            failed=Difference.of(share, *worse[Measure.FAILED]),
        )

    def of_measure(self, measure: Measure) -> Ratio | Difference:
        """What is known by one measure."""
        if measure is Measure.FAILED:
            return self.failed
        return self.ttft if measure is Measure.TTFT else self.gap

    def take(self, record: DecisionRecord, now: float) -> None:
        """Count a request of the experiment."""
        sample = Sample.of(record)
        if sample is None or record.arm is None:
            return
        candidate = record.arm is Arm.CANDIDATE
        name = record.unit or _own(record.request_id)
        self.requests[candidate] += 1
        if name in self.counted:
            return
        if name not in self.open and len(self.open) >= OPEN_MOST:
            self.left_out += 1
            return
        unit = self.open.pop(name, None) or Unit(candidate=candidate, last=now)
        unit.add(sample, record.total_seconds)
        unit.last = now
        if record.unit is None or unit.requests >= self.sessions.requests:
            self._count(name, unit)
        else:
            self.open[name] = unit

    def settle(self, now: float) -> None:
        """Count the sessions that have gone quiet; they are in the order in which they were last heard of."""
        while self.open:
            name = next(iter(self.open))
            if now - self.open[name].last < self.sessions.idle_seconds:
                return
            self._count(name, self.open.pop(name))

    def closed(self) -> Tally:
        """What stays when it is over: no names of sessions."""
        return msgspec.structs.replace(self, open={}, counted=set())

    def _count(self, name: str, unit: Unit) -> None:
        self.counted.add(name)
        self.units[unit.candidate] += 1
        for number, ratio in enumerate((self.ttft, self.gap)):
            if (seconds := unit.typical(number)) is not None:
                ratio.add(unit.candidate, seconds)
        if unit.answered:
            self.failed.add(unit.candidate, unit.failed / unit.answered)


def _own(request_id: str) -> str:
    """The unit that a request without a session is: as short as a session's, for thousands of them are kept."""
    return blake2b(request_id.encode(), digest_size=6).hexdigest()
