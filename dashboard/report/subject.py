"""What a report is about: a time, and the fleets of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from dashboard.bundles import Bundles
from dashboard.charts import Span
from dashboard.overall.questions import Asked, asked
from dashboard.promapi import step_seconds
from stack.metrics import alert_queries, routing_queries
from stack.metrics.family import Label
from stack.metrics.promql import Where

_LEAST_STEP_SECONDS = 30
_LOOKS = 1440  # how often alerts are looked at, at most: each minute of a day


@dataclass(frozen=True, slots=True)
class Subject:
    """`current`: the time ends now, so that what control says now belongs to it."""

    span: Span
    where: Where
    current: bool

    @property
    def seconds(self) -> int:
        """How long it is."""
        return round((self.span.end - self.span.start).total_seconds())

    @property
    def fleet(self) -> Where:
        """For families that no model has a part in."""
        return {label: value for label, value in self.where.items() if label is not Label.MODEL_NAME}

    @property
    def model(self) -> str | None:
        """The model it is about, None for all."""
        name = self.where.get(Label.MODEL_NAME)
        return name if isinstance(name, str) else None

    @property
    def words(self) -> str:
        """Whose fleets."""
        return ", ".join(f"{_WORDS[label]} {value}" for label, value in self.where.items()) or "All fleets"

    @property
    def questions(self) -> Asked:
        """The Overview's, with rates over the whole time in place of the last minutes."""
        window = max(60, step_seconds(self.span.start, self.span.end))
        whole = f"{self.seconds}s"
        return asked(self.span.end - self.span.start, f"{window}s", self.fleet, self.where, rated=whole, told=whole)

    @property
    def more(self) -> Bundles:
        """What a report asks besides."""
        step = max(_LEAST_STEP_SECONDS, self.seconds // _LOOKS)
        return {
            "fired": {"fired": alert_queries.fired(f"{self.seconds}s", f"{step}s", self.fleet)},
            "emulated": {"versions": routing_queries.engine_versions(self.where)},
        }


_WORDS: Mapping[Label, str] = {Label.MODEL_NAME: "Model", Label.NAMESPACE: "Namespace", Label.CLUSTER: "Cluster"}
