"""Where L2 is not as LMCache believes."""

from dataclasses import replace

from dashboard.caching import truth
from dashboard.caching.truth import Finding, Sides

AGREE = Sides(held=1.02, evicted=0.0, not_found=0.0, policies={"valkey": "noeviction"}, full={"valkey": 0.4}, strayed={})


def test_sides_that_agree_have_no_findings() -> None:
    assert truth.findings(AGREE) == []
    assert truth.comparable(AGREE)
    assert not truth.comparable(replace(AGREE, held=None))


def test_what_is_certain_comes_first() -> None:
    sides = replace(AGREE, held=0.5, evicted=3.0, full={"valkey": 0.97}, policies={"valkey": "allkeys-lru"}, not_found=0.25)
    assert truth.findings(sides) == [
        Finding(True, "0.25 chunks/s that LMCache believed to be in L2 were gone when it loaded them."),
        Finding(
            True,
            "The stores hold 50 % of the bytes that LMCache believes to have there, and evict 3 keys/s by themselves. "
            "Servers that share a store may count a chunk twice.",
        ),
        Finding(False, "`valkey` is 97 % full; once it is, it drops KV by itself, unknown to LMCache (`allkeys-lru`)."),
    ]


def test_a_store_that_evicts_nothing_refuses_instead() -> None:
    [finding] = truth.findings(replace(AGREE, full={"valkey": 0.95}))
    assert finding.text == "`valkey` is 95 % full; once it is, it refuses new KV (`noeviction`)."


def test_another_l2_than_the_one_meant_is_named_and_not_knowing_is_not_certain() -> None:
    sides = replace(AGREE, strayed={"a": "different", "b": "unknown", "c": "absent", "d": "different"})
    assert [(finding.certain, finding.text.rpartition(": ")[2]) for finding in truth.findings(sides)] == [
        (True, "`a`, `d`."),
        (True, "`c`."),
        (False, "`b`."),
    ]
