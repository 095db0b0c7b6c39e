"""Experiments as tables and lines for a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import RenderableType
from rich.text import Text

from stack.api.experiment_schema import BegunView, ExperimentsView, ExperimentView
from stack.api.table import BAD, DOUBTFUL, GOOD, PLAIN, clock, table, written
from stack.control.decision import Arm
from stack.control.diff import Change
from stack.control.experiment import Experiment, Measure, Stage
from stack.control.verdict import Finding

_NAMES = {Measure.TTFT: "TTFT", Measure.GAP: "between tokens", Measure.FAILED: "requests failed"}
_STYLES = {Stage.RUNNING: PLAIN, Stage.PROMOTED: GOOD, Stage.STOPPED: DOUBTFUL, Stage.ROLLED_BACK: BAD, Stage.ABORTED: DOUBTFUL}
_HOLDS = {True: "holds so far", False: "broken", None: ""}


def begun(view: BegunView) -> Iterator[RenderableType]:
    """`kvdeck ctl experiment start`."""
    experiment = view.experiment
    yield table("the candidate", ("field", "in force", "tried"), map(_change, view.diff))
    yield from map(Text, _terms(experiment))
    if view.effects:
        yield Text(f"for those {experiment.proposal.share:.0%} of the sessions alone:")
    yield from (Text(f"- {effect.sentence}") for effect in view.effects)
    if view.dry_run:
        yield Text("dry run: nothing runs")
        return
    share = f"{experiment.proposal.share:.0%} of {experiment.model}'s sessions"
    if view.pending:
        yield Text(f"{experiment.id} runs, on {share}; not yet acknowledged by {', '.join(view.pending)}", DOUBTFUL)
    elif view.unheard:
        yield Text(f"{experiment.id} runs, on {share}; no router reports: nothing goes by it yet", DOUBTFUL)
    else:
        yield Text(f"{experiment.id} runs, on {share}", GOOD)
    yield Text(f"how it goes: kvdeck ctl experiment show {experiment.id}")


def _terms(experiment: Experiment) -> Iterator[str]:
    """Who tries it for how long, and what decides."""
    proposal, goal, rails = experiment.proposal, experiment.proposal.goal, experiment.proposal.guardrails
    samples = None if proposal.samples is None else f"{proposal.samples:,} sessions are counted"
    seconds = None if proposal.duration_seconds is None else f"{proposal.duration_seconds:,.0f} s are over"
    ends = " or ".join(filter(None, [samples, seconds]))
    yield f"{proposal.share:.0%} of {experiment.model}'s sessions try it, the others go on as they are, until {ends}"
    by = "" if not goal.by else f" by more than {_tolerated(goal.measure, goal.by)}"
    yield f'promoted once it is proven that it betters "{_NAMES[goal.measure]}"{by}; else all goes on as it is'
    limits = ((Measure.TTFT, rails.ttft), (Measure.GAP, rails.gap), (Measure.FAILED, rails.failed))
    guards = [f'"{_NAMES[measure]}" by more than {_tolerated(measure, most)}' for measure, most in limits if most is not None]
    yield f"rolled back once it is proven that it worsens {' or '.join(guards)}" if guards else "no guardrail rolls it back"


def _tolerated(measure: Measure, most: float) -> str:
    return f"{most * 100:.3g} points" if measure is Measure.FAILED else f"{most * 100:.3g} %"


def every(view: ExperimentsView) -> Iterator[RenderableType]:
    """`kvdeck ctl experiment list`."""
    if not view.experiments:
        yield Text("there was no experiment yet")
        return
    columns = ("experiment", "began", "model", "candidate", "by", "stage", "why")
    yield table("", columns, map(_row, view.experiments))


def one(view: ExperimentView) -> Iterator[RenderableType]:
    """`kvdeck ctl experiment show`: the arms, what is known of the effects, and the verdict."""
    experiment, proposal = view.experiment, view.experiment.proposal
    yield Text(f"{experiment.id}, on {experiment.model} since {clock(experiment.began_at)}, by {experiment.actor}")
    if experiment.comment:
        yield Text(experiment.comment)
    yield table("", ("field", "control arm", "candidate"), map(_change, experiment.diff))
    arms = ((Arm.CONTROL, 1.0 - proposal.share, view.control), (Arm.CANDIDATE, proposal.share, view.candidate))
    rows = [(arm.value, f"{share:.0%}", f"{of.requests:,}", f"{of.sessions:,}") for arm, share, of in arms]
    yield table("", ("arm", "share", "requests", "sessions counted"), rows)
    columns = ("", "control arm", "candidate", "effect", f"bounds, each {1.0 - proposal.error:.3g} sure", "at most", "guardrail")
    yield table("", columns, map(_finding, view.findings))
    yield from _left(view)
    yield Text(
        f"{experiment.stage}: {experiment.reason}" if experiment.reason else f"{experiment.stage}", _STYLES[experiment.stage]
    )


def _left(view: ExperimentView) -> Iterator[Text]:
    if view.open_sessions:
        yield Text(f"{view.open_sessions:,} sessions go on and are not counted yet")
    if view.left_out:
        yield Text(f"{view.left_out:,} requests were left out: too many sessions at once", DOUBTFUL)
    ends = []
    if view.samples_left is not None:
        ends.append(f"{view.samples_left:,} sessions")
    if view.seconds_left is not None:
        ends.append(f"{view.seconds_left:,.0f} s")
    if ends:
        yield Text(f"it goes on for at most {' or '.join(ends)} more")
    if view.not_taking_part:
        yield Text(f"not taking part, so not counted: {', '.join(view.not_taking_part)}", DOUBTFUL)


def _change(change: Change) -> tuple[str, str, str]:
    return change.field, written(change.before), written(change.after)


def _row(experiment: Experiment) -> tuple[str, ...]:
    candidate = ", ".join(f"{_own(experiment, change.field)}={written(change.after)}" for change in experiment.diff)
    at = clock(experiment.began_at)
    return experiment.id, at, experiment.model, candidate, experiment.actor, experiment.stage, experiment.reason or ""


def _own(experiment: Experiment, field: str) -> str:
    return field.removeprefix(f"models.{experiment.model}.")


def _finding(found: Finding) -> tuple[str, ...]:
    share = found.measure is Measure.FAILED
    return (
        _NAMES[found.measure],
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
