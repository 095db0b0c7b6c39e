"""Experiments as tables and lines for a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import RenderableType
from rich.text import Text

from stack.api.experiment_schema import BegunView, ExperimentsView, ExperimentView
from stack.api.experiment_words import candidate, finding, left, terms
from stack.api.table import BAD, DOUBTFUL, GOOD, PLAIN, clock, table, written
from stack.control.decision import Arm
from stack.control.diff import Change
from stack.control.experiment import Experiment, Stage

_STYLES = {Stage.RUNNING: PLAIN, Stage.PROMOTED: GOOD, Stage.STOPPED: DOUBTFUL, Stage.ROLLED_BACK: BAD, Stage.ABORTED: DOUBTFUL}


def begun(view: BegunView) -> Iterator[RenderableType]:
    """`kvdeck ctl experiment start`."""
    experiment = view.experiment
    yield table("the candidate", ("field", "in force", "tried"), map(_change, view.diff))
    yield from map(Text, terms(experiment))
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
    yield table("", columns, map(finding, view.findings))
    yield from (Text(line, DOUBTFUL if doubtful else PLAIN) for line, doubtful in left(view))
    yield Text(
        f"{experiment.stage}: {experiment.reason}" if experiment.reason else f"{experiment.stage}", _STYLES[experiment.stage]
    )


def _change(change: Change) -> tuple[str, str, str]:
    return change.field, written(change.before), written(change.after)


def _row(experiment: Experiment) -> tuple[str, ...]:
    at = clock(experiment.began_at)
    return experiment.id, at, experiment.model, candidate(experiment), experiment.actor, experiment.stage, experiment.reason or ""
