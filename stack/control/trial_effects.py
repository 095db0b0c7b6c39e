"""What a change does to experiments."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import ClassVar

from stack.control.link import Trial
from stack.control.state import Desired


@dataclass(frozen=True, slots=True)
class EndExperiment:
    """An experiment on `model` ends, for what it compared is not desired any more."""

    kind: ClassVar[str] = "end_experiment"
    model: str
    experiment: str

    @property
    def sentence(self) -> str:
        return f"Experiment {self.experiment} ends: every session of {self.model} goes by what is desired."


def ended(trials: Mapping[str, Trial], before: Desired, after: Desired) -> Iterator[EndExperiment]:
    """One for each of `trials`, by model, that the change from `before` to `after` does not outlive."""
    for model, trial in trials.items():
        if after.models.get(model) != before.models.get(model):
            yield EndExperiment(model, trial.id)
