"""What Prometheus tells of engines, read."""

from dashboard.fleet.told import Listed, Told, figures, listing
from dashboard.promapi import Sample
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
        (DECODE, "decode-0"): {Quantity.RUNNING: 3.0, Quantity.ENGINE_HITS: 0.5},
        (DECODE, "decode-1"): {Quantity.RUNNING: 0.0},
    })  # fmt: skip


def test_engines_of_one_name_in_two_namespaces_are_not_taken_for_each_other() -> None:
    several = [sample("decode-0", "running", 3.0, namespace=namespace) for namespace in ("a", "b")]
    name = (DECODE, "decode-0")
    assert figures(several) == Told({}, frozenset({name}))
    told = [sample("decode-0", "listed", 1.0, namespace=namespace, version="0.32") for namespace in ("a", "b")]
    assert listing(told) == {name: Listed(age=1.0, version="0.32", several=True)}


def test_an_engine_is_listed_with_its_version_its_age_and_what_could_not_read_it() -> None:
    found = listing([
        sample("decode-0", "listed", 3.0, version="0.32", emulated="true"),
        sample("decode-0", "health", 1.0, state="ready"),
        sample("decode-1", "listed", 3.0, version="", emulated="false"),
        Sample({"quantity": "unread", "target": "decode-1", "collector": "engines"}, 0.0, 0.0),
        Sample({"quantity": "age"}, 10.0, 0.0),
    ])  # fmt: skip
    assert found == {
        (DECODE, "decode-0"): Listed(age=13.0, version="0.32", emulated=True, health="ready"),
        (DECODE, "decode-1"): Listed(age=13.0, emulated=False, unread=("engines",)),
    }


def test_where_routers_disagree_the_worst_word_counts() -> None:
    found = listing([sample("decode-0", "health", 1.0, state=state) for state in ("ready", "not_ready")])
    assert found == {(DECODE, "decode-0"): Listed(health="not_ready")}
