"""The Prometheus operator's objects: what is to be scraped and evaluated, and which Prometheus takes it up.

https://prometheus-operator.dev/docs/api-reference/api/
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

import msgspec

from stack.kube.objects import Metadata

GROUP = "/apis/monitoring.coreos.com/v1"
AGENTS = "/apis/monitoring.coreos.com/v1alpha1/prometheusagents"


class Kind(StrEnum):
    """What a Prometheus selects; the value is its name in the operator's paths."""

    SERVICE_MONITOR = "servicemonitors"
    POD_MONITOR = "podmonitors"
    RULE = "prometheusrules"


class Requirement(msgspec.Struct, frozen=True):
    """One of a selector's expressions; `operator` is In, NotIn, Exists or DoesNotExist."""

    key: str
    operator: str
    values: list[str] = []

    def holds(self, labels: Mapping[str, str]) -> bool:
        """Whether labels meet it; one that is not understood is met by none."""
        value = labels.get(self.key)
        match self.operator:
            case "In":
                return value in self.values
            case "NotIn":
                return value not in self.values
            case "Exists":
                return value is not None
            case "DoesNotExist":
                return value is None
        return False


class LabelSelector(msgspec.Struct, frozen=True, rename="camel"):
    """An empty one matches everything."""

    match_labels: dict[str, str] = {}
    match_expressions: list[Requirement] = []

    def matches(self, labels: Mapping[str, str]) -> bool:
        """Whether it selects what has these labels."""
        return self.match_labels.items() <= labels.items() and all(one.holds(labels) for one in self.match_expressions)


class PrometheusSpec(msgspec.Struct, frozen=True, rename="camel"):
    """Without a selector nothing is taken up, without one of namespaces only what is in the Prometheus' own."""

    service_monitor_selector: LabelSelector | None = None
    service_monitor_namespace_selector: LabelSelector | None = None
    pod_monitor_selector: LabelSelector | None = None
    pod_monitor_namespace_selector: LabelSelector | None = None
    rule_selector: LabelSelector | None = None
    rule_namespace_selector: LabelSelector | None = None

    def selectors(self, kind: Kind) -> tuple[LabelSelector | None, LabelSelector | None]:
        """Of objects, and of the namespaces they are in."""
        return {
            Kind.SERVICE_MONITOR: (self.service_monitor_selector, self.service_monitor_namespace_selector),
            Kind.POD_MONITOR: (self.pod_monitor_selector, self.pod_monitor_namespace_selector),
            Kind.RULE: (self.rule_selector, self.rule_namespace_selector),
        }[kind]


class Prometheus(msgspec.Struct, frozen=True):
    """A Prometheus, or an agent, as the operator is told to run it."""

    metadata: Metadata
    spec: PrometheusSpec = PrometheusSpec()

    def takes(self, kind: Kind, found: Metadata, namespaces: Mapping[str, Mapping[str, str]]) -> bool:
        """Whether it takes the object up; `namespaces` are labels by the namespace's name."""
        objects, places = self.spec.selectors(kind)
        if objects is None or not objects.matches(found.labels):
            return False
        if places is None:
            return found.namespace == self.metadata.namespace
        return places.matches(namespaces.get(found.namespace, {}))


class Named(msgspec.Struct, frozen=True):
    """Any object, as far as its name and labels go."""

    metadata: Metadata


@dataclass(frozen=True, slots=True)
class Operator:
    """What the operator is told, in the namespaces that were looked at."""

    prometheuses: tuple[Prometheus, ...]
    objects: tuple[tuple[Kind, Metadata], ...]
    namespaces: Mapping[str, Mapping[str, str]]

    def left(self) -> Iterable[tuple[Kind, Metadata]]:
        """Objects that no Prometheus takes up."""
        return (
            (kind, found)
            for kind, found in self.objects
            if not any(prometheus.takes(kind, found, self.namespaces) for prometheus in self.prometheuses)
        )
