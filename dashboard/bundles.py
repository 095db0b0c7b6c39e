"""Several queries asked as one question, and their answers told apart again: a page may ask for few things at a time."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pandas as pd

from dashboard.asking import Answers, Over, Question
from dashboard.desk import Failed
from dashboard.promapi import Sample
from stack.metrics.family import Label
from stack.metrics.joined import joined
from stack.metrics.queries import Query

Bundles = Mapping[str, Mapping[str, Query]]
"""Queries by name, in bundles of which each is one question."""


def questions(bundles: Bundles, kind: Callable[[Query], Question]) -> dict[str, Question]:
    """What to ask: `kind` is Now or Over."""
    return {name: kind(joined(queries)) for name, queries in bundles.items()}


def courses(bundles: Bundles) -> dict[str, Over]:
    """What to ask of the time that is looked at: one bundle moves on after the other, so that no refresh draws all charts anew."""
    return {name: Over(joined(queries), number / len(bundles)) for number, (name, queries) in enumerate(bundles.items())}


def apart(answers: Answers, bundles: Bundles) -> Answers:
    """The answer to each single query; all of a bundle failed where it did."""
    found = {
        name: answers.found[bundle] if isinstance(answers.found[bundle], Failed) else _of(answers.found[bundle], name)
        for bundle, queries in bundles.items()
        for name in queries
    }
    phases = {name: answers.phases.get(bundle, 0.0) for bundle, queries in bundles.items() for name in queries}
    return Answers(answers.at, found, phases)


def _of(answer: list[Sample] | pd.DataFrame | Failed, name: str) -> list[Sample] | pd.DataFrame:
    if isinstance(answer, list):
        return [sample for sample in answer if sample.labels.get(Label.FIGURE) == name]
    assert isinstance(answer, pd.DataFrame)
    if Label.FIGURE.value not in answer:
        return answer.head(0)
    part = answer[answer[Label.FIGURE.value] == name].drop(columns=Label.FIGURE.value)
    told = [column for column in part if column in ("time", "value") or part[column].notna().any()]
    return part[told]
