"""Experiments in words, for a terminal and for the dashboard."""

from __future__ import annotations

from collections.abc import Iterator

from stack.api.experiment_schema import ExperimentView
from stack.api.table import written
from stack.control.experiment import Experiment, Measure
from stack.control.verdict import Finding

NAMES = {Measure.TTFT: "TTFT", Measure.GAP: "between tokens", Measure.FAILED: "requests failed"}
_HOLDS = {True: "holds so far", False: "broken", None: ""}


def candidate(experiment: Experiment) -> str:
    """What is tried, as `kvdeck ctl set` takes it."""
    own = f"models.{experiment.model}."
    return ", ".join(f"{change.field.removeprefix(own)}={written(change.after)}" for change in experiment.diff)


def terms(experiment: Experiment) -> Iterator[str]:
    """Who tries it for how long, and what decides, line by line."""
    proposal, goal, rails = experiment.proposal, experiment.proposal.goal, experiment.proposal.guardrails
    samples = None if proposal.samples is None else f"{proposal.samples:,} sessions are counted"
    seconds = None if proposal.duration_seconds is None else f"{proposal.duration_seconds:,.0f} s are over"
    ends = " or ".join(filter(None, [samples, seconds]))
    yield f"{proposal.share:.0%} of {experiment.model}'s sessions try it, the others go on as they are, until {ends}"
    by = "" if not goal.by else f" by more than {_tolerated(goal.measure, goal.by)}"
    yield f'promoted once it is proven that it betters "{NAMES[goal.measure]}"{by}; else all goes on as it is'
    limits = ((Measure.TTFT, rails.ttft), (Measure.GAP, rails.gap), (Measure.FAILED, rails.failed))
    guards = [f'"{NAMES[measure]}" by more than {_tolerated(measure, most)}' for measure, most in limits if most is not None]
    yield f"rolled back once it is proven that it worsens {' or '.join(guards)}" if guards else "no guardrail rolls it back"


def left(view: ExperimentView) -> Iterator[tuple[str, bool]]:
    """What it still waits for, and what it leaves out; true with what makes its findings doubtful."""
    if view.open_sessions:
        yield f"{view.open_sessions:,} sessions go on and are not counted yet", False
    if view.left_out:
        yield f"{view.left_out:,} requests were left out: too many sessions at once", True
    ends = []
    if view.samples_left is not None:
        ends.append(f"{view.samples_left:,} sessions")
    if view.seconds_left is not None:
        ends.append(f"{view.seconds_left:,.0f} s")
    if ends:
        yield f"it goes on for at most {' or '.join(ends)} more", False
    if view.not_taking_part:
        yield f"not taking part, so not counted: {', '.join(view.not_taking_part)}", True


def finding(found: Finding) -> tuple[str, ...]:
    """A measure, each arm's typical value, the effect, its bounds, the guardrail, whether that holds."""
    share = found.measure is Measure.FAILED
    return (
        NAMES[found.measure],
        *(_typical(value, share=share) for value in (found.control, found.candidate)),
        _effect(found.effect, share=share),
        f"{_effect(found.low, share=share)} to {_effect(found.high, share=share)}",
        "" if found.limit is None else _effect(found.limit, share=share),
        _HOLDS[found.holds],
    )


def _typical(value: float | None, *, share: bool) -> str:
    if value is None:
        return "?"
    return f"{value:.2%}" if share else f"{value * 1e3:,.1f} ms"


def _effect(value: float | None, *, share: bool) -> str:
    """How many times the control arm's; of a share, the difference in points."""
    if value is None:
        return "?"
    return f"{value * 100:+.3g} points" if share else f"x {value:.3g}"


def _tolerated(measure: Measure, most: float) -> str:
    return f"{most * 100:.3g} points" if measure is Measure.FAILED else f"{most * 100:.3g} %"
