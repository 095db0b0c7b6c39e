"""Why some prompt tokens have no source."""

from dashboard.caching import rest
from dashboard.promapi import Sample


def sample(value: float = 1.0, **labels: str) -> Sample:
    return Sample(labels, value, 0.0)


def test_all_that_does_not_tell_is_named() -> None:
    states = [
        sample(2.0, quantity="lmcache_l1_hit_tokens", state="absent"),
        sample(1.0, quantity="prefix_cache_hit_tokens", state="hidden"),
        sample(9.0, quantity="prefix_cache_hit_tokens", state="renamed"),  # told, under an older name
    ]
    modes = [sample(3.0, mode="in_process"), sample(1.0, mode="silent"), sample(2.0, mode="multi_process")]
    unread = [sample(0.0, collector="lmcache", target="lmcache-0")]
    doubts = [sample(1.0, replica="lmcache-1", reason="events_dropped"), sample(0.0, replica="lmcache-2", reason="events_dropped")]
    assert rest.reasons(states, modes, unread, doubts) == [
        "1 engine without hits of their own cache",
        "2 LMCache servers without L1's hits apart from L2's: what was loaded through them is unknown",
        "3 LMCaches inside engines, where L1 and L2 are not told apart: what is loaded through them is unknown",
        "1 LMCache that told nothing yet, as before a first look-up",
        "the exporter cannot read `lmcache-0` (lmcache)",
        "counters are too low at `lmcache-1` (events_dropped): LMCache lost events before it counted them",
    ]


def test_where_all_tell_there_is_nothing_to_say() -> None:
    assert rest.reasons([], [sample(2.0, mode="multi_process")], [], []) == []


def test_engines_are_named_with_the_version_that_may_be_the_reason() -> None:
    engines = [sample(replica="decode-0", version="0.11.0"), sample(replica="decode-1", version="")]
    assert rest.named(engines) == "`decode-0` (vLLM 0.11.0), `decode-1` (version unknown)"


def test_what_has_one_name_in_two_fleets_is_told_with_its_fleet() -> None:
    fleets = ("a", "b")
    engines = [sample(namespace=name, replica="decode-0", version="0.11.0") for name in fleets]
    assert rest.named(engines) == "`a / decode-0` (vLLM 0.11.0), `b / decode-0` (vLLM 0.11.0)"
    unread = [sample(0.0, namespace=name, target="lmcache-0", collector="lmcache") for name in fleets]
    doubts = [sample(value, namespace=name, replica="l", reason="lost") for name, value in zip(fleets, (0.0, 1.0), strict=True)]
    assert rest.reasons([], [], unread, doubts) == [
        "the exporter cannot read `a / lmcache-0` (lmcache), `b / lmcache-0` (lmcache)",
        "counters are too low at `b / l` (lost): LMCache lost events before it counted them",
    ]


def test_lmcaches_of_one_mode_are_one_count_over_all_fleets() -> None:
    modes = [sample(2.0, namespace="a", mode="multi_process"), sample(1.0, namespace="b", mode="multi_process")]
    assert rest.modes_counted([*modes, sample(1.0, namespace="b", mode="silent")]) == "3 multi process, 1 silent"
