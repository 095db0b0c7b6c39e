"""Which Prometheus takes up what."""

import pytest

from stack.kube.objects import Metadata
from stack.kube.operator import Kind, LabelSelector, Operator, Prometheus, PrometheusSpec, Requirement

FOUND = Metadata(name="kvdeck", namespace="serving", labels={"release": "watch", "tier": "l1"})
NAMESPACES = {"serving": {"team": "llm"}, "monitoring": {}}


ANYWHERE = LabelSelector()


def selector(**labels: str) -> LabelSelector:
    return LabelSelector(labels)


def prometheus(
    objects: LabelSelector | None,
    places: LabelSelector | None = ANYWHERE,
    namespace: str = "monitoring",
) -> Prometheus:
    spec = PrometheusSpec(service_monitor_selector=objects, service_monitor_namespace_selector=places)
    return Prometheus(Metadata(name="p", namespace=namespace), spec)


@pytest.mark.parametrize(
    ("told", "taken"),
    [
        (prometheus(selector()), True),
        (prometheus(selector(release="watch")), True),
        (prometheus(selector(release="other")), False),
        (prometheus(None), False),
        (prometheus(selector(), None), False),
        (prometheus(selector(), None, namespace="serving"), True),
        (prometheus(selector(), selector(team="llm")), True),
        (prometheus(selector(), selector(team="web")), False),
    ],
    ids=["all", "by label", "another label", "no selector", "elsewhere", "here", "by namespace", "another namespace"],
)
def test_a_prometheus_takes_up_what_its_selectors_match(told: Prometheus, taken: bool) -> None:
    assert told.takes(Kind.SERVICE_MONITOR, FOUND, NAMESPACES) is taken


def test_each_kind_has_selectors_of_its_own() -> None:
    told = prometheus(selector())
    assert [told.takes(kind, FOUND, NAMESPACES) for kind in Kind] == [True, False, False]


@pytest.mark.parametrize(
    ("operator", "values", "holds"),
    [
        ("In", ["watch", "x"], True),
        ("In", ["x"], False),
        ("NotIn", ["x"], True),
        ("NotIn", ["watch"], False),
        ("Exists", [], True),
        ("DoesNotExist", [], False),
        ("Gt", ["1"], False),
    ],
)
def test_expressions(operator: str, values: list[str], holds: bool) -> None:
    one = LabelSelector(match_expressions=[Requirement("release", operator, values)])
    assert one.matches(FOUND.labels) is holds


def test_a_label_that_is_not_there_is_not_in_anything() -> None:
    held = {how: Requirement("no", how, ["x"]).holds({}) for how in ("In", "NotIn", "Exists", "DoesNotExist")}
    assert held == {"In": False, "NotIn": True, "Exists": False, "DoesNotExist": True}


def test_what_none_takes_up_is_left() -> None:
    objects = ((Kind.SERVICE_MONITOR, FOUND), (Kind.RULE, FOUND))
    assert list(Operator((prometheus(selector()), prometheus(None)), objects, NAMESPACES).left()) == [(Kind.RULE, FOUND)]
