"""What Prometheus tells of engines, read."""

from dashboard.fleet.name import Name
from dashboard.fleet.told import Listed, Told, figures, listing
from dashboard.promapi import Sample
from dashboard.sites import Site
from stack.metrics.engine_queries import Quantity
from tests.dashboard.fleet.samples import DECODE, sample


def test_figures_are_by_engine_and_what_is_not_told_is_absent() -> None:
    told = figures([
        sample("decode-0", "running", 3.0),
        sample("decode-0", "hits_engine", 0.5),
        sample("decode-0", "hits_lmcache", 0.5),  # of an LMCache that does not tell its tiers apart
        sample("decode-1", "running", 0.0),
    ])  # fmt: skip
    assert told == Told({
        Name(DECODE, "decode-0"): {Quantity.RUNNING: 3.0, Quantity.ENGINE_HITS: 0.5},
        Name(DECODE, "decode-1"): {Quantity.RUNNING: 0.0},
    })  # fmt: skip


def test_engines_of_one_name_in_two_namespaces_are_not_taken_for_each_other() -> None:
    a, b = (Name(DECODE, "decode-0", Site("", namespace)) for namespace in ("a", "b"))
    several = [
        sample("decode-0", "running", 3.0, namespace="a"),
        sample("decode-0", "hits_engine", 0.5, namespace="b"),
    ]  # fmt: skip
    assert figures(several) == Told({a: {Quantity.RUNNING: 3.0}, b: {Quantity.ENGINE_HITS: 0.5}})
    found = listing([
        sample("decode-0", "listed", 1.0, namespace="a", version="0.32"),
        sample("decode-0", "listed", 9.0, namespace="b", version="0.31"),
        sample("decode-0", "health", 1.0, namespace="a", state="ready"),
        sample("decode-0", "health", 1.0, namespace="b", state="not_ready"),
        Sample({"quantity": "unread", "target": "decode-0", "collector": "engines", "namespace": "b"}, 0.0, 0.0),
    ])  # fmt: skip
    assert found == {
        a: Listed(age=1.0, version="0.32", health="ready"),
        b: Listed(age=9.0, version="0.31", health="not_ready", unread=("engines",)),
    }


def test_a_router_in_another_namespace_speaks_of_the_one_engine_of_the_name() -> None:
    told = [
        sample("decode-0", "listed", 1.0, namespace="engines"),
        sample("decode-0", "health", 1.0, namespace="gateway", state="ready"),
    ]
    assert listing(told) == {Name(DECODE, "decode-0", Site("", "engines")): Listed(age=1.0, health="ready")}


def test_routers_of_several_namespaces_speak_of_one_engine_together() -> None:
    name = Name(DECODE, "decode-0", Site("", "engines"))
    told = [
        sample("decode-0", "listed", 1.0, namespace="engines"),
        *(sample("decode-0", "health", 1.0, namespace=where, state=state) for where, state in (("a", "not_ready"), ("b", "ready"))),
    ]
    assert listing(told) == {name: Listed(age=1.0, health="not_ready")}
    measured = [
        sample("decode-0", "running", 4.0, namespace="engines"),
        *(sample("decode-0", "in_flight", value, namespace=where) for where, value in (("a", 3.0), ("b", 2.0))),
    ]
    assert figures(measured) == Told({name: {Quantity.RUNNING: 4.0, Quantity.IN_FLIGHT: 5.0}})


def test_an_engines_own_router_speaks_of_it_and_another_namespaces_does_not() -> None:
    told = [
        sample("decode-0", "listed", 1.0, namespace="a"),
        *(sample("decode-0", "health", 1.0, namespace=where, state=state) for where, state in (("a", "ready"), ("b", "not_ready"))),
    ]
    assert listing(told) == {Name(DECODE, "decode-0", Site("", "a")): Listed(age=1.0, health="ready")}


def test_where_nobody_but_routers_and_control_tells_of_a_pool_it_is_one() -> None:
    pool = {"model_name": "smollm2", "pool": "decode"}
    told = figures([
        Sample({**pool, "quantity": "desired", "namespace": "control"}, 3.0, 0.0),
        Sample({**pool, "quantity": "in_flight", "namespace": "gateway"}, 7.0, 0.0),
    ])  # fmt: skip
    assert told == Told({Name(DECODE, site=Site("", "gateway")): {Quantity.DESIRED: 3.0, Quantity.IN_FLIGHT: 7.0}})


def test_a_router_beside_two_engines_of_one_name_speaks_of_nobody() -> None:
    told = [
        *(sample("decode-0", "listed", 1.0, namespace=namespace) for namespace in ("a", "b")),
        sample("decode-0", "health", 1.0, namespace="gateway", state="not_ready"),
    ]
    assert listing(told) == {Name(DECODE, "decode-0", Site("", namespace)): Listed(age=1.0) for namespace in ("a", "b")}


def test_samples_are_as_old_as_the_exporter_of_their_own_cluster_kept_them() -> None:
    told = [sample("decode-0", "listed", 1.0, cluster=cluster, namespace="llm") for cluster in ("east", "west")]
    old = Sample({"quantity": "age", "cluster": "east", "namespace": "monitoring"}, 10.0, 0.0)
    assert [one.age for one in listing([*told, old]).values()] == [11.0, 1.0]


def test_an_engine_is_listed_with_its_version_its_age_and_what_could_not_read_it() -> None:
    found = listing([
        sample("decode-0", "listed", 3.0, version="0.32", emulated="true"),
        sample("decode-0", "health", 1.0, state="ready"),
        sample("decode-1", "listed", 3.0, version="", emulated="false"),
        Sample({"quantity": "unread", "target": "decode-1", "collector": "engines"}, 0.0, 0.0),
        Sample({"quantity": "age"}, 10.0, 0.0),
    ])  # fmt: skip
    assert found == {
        Name(DECODE, "decode-0"): Listed(age=13.0, version="0.32", emulated=True, health="ready"),
        Name(DECODE, "decode-1"): Listed(age=13.0, emulated=False, unread=("engines",)),
    }


def test_where_routers_disagree_the_worst_word_counts() -> None:
    found = listing([sample("decode-0", "health", 1.0, state=state) for state in ("ready", "not_ready")])
    assert found == {Name(DECODE, "decode-0"): Listed(health="not_ready")}
