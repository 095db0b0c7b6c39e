"""What LMCache believes of its L2."""

from __future__ import annotations

from dashboard.caching import beliefs
from dashboard.promapi import Sample


def _of(namespace: str, value: float, **labels: str) -> Sample:
    return Sample({"namespace": namespace, **labels}, value, 0.0)


def test_each_fleet_is_counted_by_itself() -> None:
    counts = [_of("a", 2.0, state="equal"), _of("b", 1.0, state="equal"), _of("b", 3.0, state="different")]
    assert list(beliefs.addresses(counts)) == [
        "`a`: L2 in use against the one meant (`--l2.expected-url`): 2 equal.",
        "`b`: L2 in use against the one meant (`--l2.expected-url`): 3 different, 1 equal.",
    ]
    nodes = [_of("a", 4.0, quantity="nodes"), _of("a", 3.0, quantity="answering"), _of("b", 8.0, quantity="nodes")]
    assert list(beliefs.daemons([*nodes, _of("b", 6.0, quantity="memory")])) == [
        "`a`: HyperPod's tiered storage answers on 3 of 4 nodes; its shared memory is unknown.",
        "`b`: HyperPod's tiered storage answers on 0 of 8 nodes; its shared memory is there on 6.",
    ]


def test_a_fleet_alone_is_not_named() -> None:
    [told] = beliefs.addresses([_of("a", 2.0, state="equal")])
    assert told == "L2 in use against the one meant (`--l2.expected-url`): 2 equal."


def test_one_fleet_that_strayed_says_nothing_of_the_same_name_in_another() -> None:
    believers = [_of(name, 2.0**30, replica="lmcache-0") for name in ("a", "b", "c")]
    counts = [_of("a", 1.0, state="different"), _of("b", 1.0, state="equal")]
    frame = beliefs.beliefs(believers, [_of("a", 1.0, replica="lmcache-0", state="different")], counts)
    assert frame["LMCache"].tolist() == ["a / lmcache-0", "b / lmcache-0", "c / lmcache-0"]
    assert frame["its L2, against the one meant"].fillna("").tolist() == ["different", "equal", ""]
