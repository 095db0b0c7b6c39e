"""Where a fleet is: the labels that tell fleets apart, read here and by nobody else."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from dashboard import amounts
from dashboard.promapi import Sample
from dashboard.wording import code
from stack.metrics.family import Label
from stack.metrics.promql import KEPT


@dataclass(frozen=True, slots=True, order=True)
class Site:
    """A cluster and a namespace; one is empty where nobody attaches its label."""

    cluster: str = ""
    namespace: str = ""

    @classmethod
    def of(cls, labels: Mapping[str, str]) -> Site:
        """Where a series with these labels is."""
        return cls(*(labels.get(label, "") for label in KEPT))

    def __str__(self) -> str:
        """As pages write it; empty where nobody tells fleets apart."""
        return " / ".join(filter(None, (self.cluster, self.namespace)))

    def named(self, name: str) -> str:
        """Something of this name that is here, which others have a namesake of."""
        return " / ".join(filter(None, (str(self), name)))


NOWHERE = Site()


def seen(*asked: Iterable[Sample]) -> set[Site]:
    """All that these samples are of."""
    return {Site.of(sample.labels) for samples in asked for sample in samples}


def apart(frame: pd.DataFrame) -> tuple[str, ...]:
    """Those of the labels that tell fleets apart that have more than one value in `frame`, none being one."""
    return tuple(label for label in KEPT if label in frame and frame[label].nunique(dropna=False) > 1)


def name(sample: Sample, by: Label = Label.REPLICA) -> str:
    """What a sample is of: an engine, a server or a store."""
    return sample.labels.get(by, amounts.UNKNOWN)


def names(*asked: Sequence[Sample], by: Label = Label.REPLICA) -> Callable[[Sample], str]:
    """How what these samples are of is told: with its site where they are of several, which may use one name twice."""
    several = len(seen(*asked)) > 1

    def told(sample: Sample) -> str:
        return Site.of(sample.labels).named(name(sample, by)) if several else name(sample, by)

    return told


def beginning(site: Site, all_of_them: Collection[Site]) -> str:
    """How a sentence on the fleet at `site` begins: with its name where there are several."""
    return f"{code(str(site))}: " if len(all_of_them) > 1 and str(site) else ""
