"""Whether an experiment goes on, and what it has found so far. Pure: the same tally always has the same verdict."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import exp

import msgspec

from stack.control.evidence import Difference, Ratio, proven
from stack.control.experiment import Experiment, Measure, Proposal, Stage
from stack.control.tally import Tally

UNITS_LEAST = 50  # of each arm: what fewer sessions show of a measure is not promoted, however clear it looks


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """One measure. `ttft` and `gap` are seconds, an arm's geometric mean over its sessions, and `effect` is how many times the
    control arm's the candidate's is; `failed` is the mean share of failed requests, and `effect` the difference.

    `low` and `high` bound the effect at every look at once, each wrong with a probability of at most the experiment's `error`;
    None is unknown. `limit` is the guardrail, as an effect; `holds`: true, false where it is proven broken, None where it is
    not guarded or not known.
    """

    measure: Measure
    control_sessions: int
    candidate_sessions: int
    control: float | None = None
    candidate: float | None = None
    effect: float | None = None
    low: float | None = None
    high: float | None = None
    limit: float | None = None
    holds: bool | None = None


@dataclass(frozen=True, slots=True)
class Ruling:
    """How an experiment ends, and why, as a sentence."""

    stage: Stage
    reason: str


def ruling(experiment: Experiment, tally: Tally, now: float) -> Ruling | None:
    """The end that has come, None while it goes on. A broken guardrail comes before a goal that is reached."""
    proposal = experiment.proposal
    for finding in findings(proposal, tally):
        if finding.holds is False:
            return Ruling(Stage.ROLLED_BACK, f"{finding.measure} is worse than tolerated: {said(finding)}")
    reached = _reached(proposal, tally)
    obstacles = list(_obstacles(proposal, tally))
    goal = finding_of(proposal, tally, proposal.goal.measure)
    if reached and not obstacles:
        return Ruling(Stage.PROMOTED, f"{goal.measure} is better: {said(goal)}")
    left, seconds = experiment.left(sum(tally.units), now)
    if left == 0 or seconds == 0.0:
        ended = "all samples are in" if left == 0 else "its time is up"
        why = f"{goal.measure} is better, but {'; '.join(obstacles)}" if reached else f"{goal.measure} is not proven better"
        return Ruling(Stage.STOPPED, f"{ended}: {why} ({said(goal)})")
    return None


def findings(proposal: Proposal, tally: Tally) -> tuple[Finding, ...]:
    """One a measure."""
    return tuple(finding_of(proposal, tally, measure) for measure in Measure)


def finding_of(proposal: Proposal, tally: Tally, measure: Measure) -> Finding:
    """What is known by `measure`."""
    evidence = tally.of_measure(measure)
    limit = limit_of(proposal, measure)
    bounds = evidence.interval(proposal.error)
    return Finding(
        measure=measure,
        control_sessions=evidence.count[False],
        candidate_sessions=evidence.count[True],
        control=_typical(evidence, candidate=False),
        candidate=_typical(evidence, candidate=True),
        effect=evidence.estimate,
        low=bounds.low,
        high=bounds.high,
        limit=limit,
        holds=None if limit is None or evidence.estimate is None else not _broken(evidence, limit, proposal.error),
    )


def limit_of(proposal: Proposal, measure: Measure) -> float | None:
    """The guardrail of `measure` as an effect; None where it is not guarded."""
    rails = proposal.guardrails
    if measure is Measure.FAILED:
        return rails.failed
    tolerated = rails.ttft if measure is Measure.TTFT else rails.gap
    return None if tolerated is None else 1.0 + tolerated


def said(finding: Finding) -> str:
    """An effect with its bounds, in words."""
    if finding.effect is None:
        return "nothing is known of it yet"
    sign, factor = ("+", 100.0) if finding.measure is Measure.FAILED else ("", 1.0)
    unit, low, high = ("points", "?", "?") if finding.measure is Measure.FAILED else ("times the control arm's", "?", "?")
    if finding.low is not None:
        low = f"{finding.low * factor:{sign}.3g}"
    if finding.high is not None:
        high = f"{finding.high * factor:{sign}.3g}"
    sessions = finding.control_sessions + finding.candidate_sessions
    return f"{finding.effect * factor:{sign}.3g} {unit}, between {low} and {high}, from {sessions:,} sessions"


def _reached(proposal: Proposal, tally: Tally) -> bool:
    """Proven, and still so as it looks: a streak of luck may have come before enough sessions had."""
    goal = proposal.goal
    evidence = tally.of_measure(goal.measure)
    null = -goal.by if goal.measure is Measure.FAILED else 1.0 - goal.by
    return evidence.estimate is not None and evidence.estimate < null and proven(evidence.wagers, null, proposal.error, above=False)


def _obstacles(proposal: Proposal, tally: Tally) -> Iterator[str]:
    """Why it is not promoted although its goal may be proven: too little is known of something that matters, or it looks bad."""
    for measure in Measure:
        limit = limit_of(proposal, measure)
        if limit is None and measure is not proposal.goal.measure:
            continue
        evidence = tally.of_measure(measure)
        if min(evidence.count) < UNITS_LEAST:
            fewer = "the candidate" if evidence.count[True] < evidence.count[False] else "the control arm"
            yield f"{measure} is known of {min(evidence.count)} sessions of {fewer} only, {UNITS_LEAST} are needed"
        elif limit is not None and evidence.estimate is not None and evidence.estimate > limit:
            yield f"{measure} looks worse than tolerated"


def _broken(evidence: Ratio | Difference, limit: float, error: float) -> bool:
    return proven(evidence.wagers, limit, error, above=True)


def _typical(evidence: Ratio | Difference, *, candidate: bool) -> float | None:
    if not evidence.count[candidate]:
        return None
    if isinstance(evidence, Ratio):
        return exp(evidence.logs[candidate] / evidence.count[candidate])
    return evidence.sums[candidate] / evidence.count[candidate]
