"""Which fleets the answers are about: one is a model in a cluster and a namespace."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from dashboard.asking import Answers
from dashboard.promapi import PrometheusUnavailableError, Sample
from dashboard.sites import NOWHERE, Site
from stack.metrics.family import Label

Figures = Mapping[str, list[Sample]]
"""Samples by the name of what was asked."""
_Spaces = dict[str, list[Sample]]


@dataclass(frozen=True, slots=True, order=True)
class Fleet:
    """`model` is empty where its series name none."""

    model: str
    site: Site = NOWHERE


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of each fleet, and why the rest is not: one sentence a failed question."""

    fleets: Mapping[Fleet, Figures]
    failed: tuple[str, ...] = ()


def known(answers: Answers, names: Iterable[str]) -> Known:
    """The samples of all questions `names`, by fleet.

    A model's router and its engines may be in different namespaces: while none of the questions tells of the model in two
    namespaces of a cluster, it is one fleet.
    """
    found: dict[tuple[str, str], dict[str, _Spaces]] = defaultdict(lambda: defaultdict(lambda: defaultdict(list)))
    failed: list[str] = []
    for name in names:
        try:
            samples = answers.samples(name)
        except PrometheusUnavailableError as error:
            failed.append(str(error))
            continue
        for sample in samples:
            site = Site.of(sample.labels)
            model = sample.labels.get(Label.MODEL_NAME, ""), site.cluster
            found[model][name][site.namespace].append(sample)
    fleets = {fleet: figures for model, told in found.items() for fleet, figures in _fleets(*model, told)}
    return Known(dict(sorted(fleets.items())), tuple(dict.fromkeys(failed)))


def _fleets(model: str, cluster: str, told: Mapping[str, _Spaces]) -> Iterator[tuple[Fleet, Figures]]:
    namespaces = sorted({namespace for spaces in told.values() for namespace in spaces})
    if all(len(spaces) == 1 for spaces in told.values()):
        samples = {name: next(iter(spaces.values())) for name, spaces in told.items()}
        yield Fleet(model, Site(cluster, ", ".join(filter(None, namespaces)))), samples
        return
    for namespace in namespaces:
        figures = {name: spaces[namespace] for name, spaces in told.items() if namespace in spaces}
        yield Fleet(model, Site(cluster, namespace)), figures
