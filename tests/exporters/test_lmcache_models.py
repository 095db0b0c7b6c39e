"""What LMCache tells of each model."""

from exporters import lmcache_models
from exporters.collector import Point
from exporters.lmcache_models import named
from stack.adapters.exposition import parse
from stack.engines import lmcache_quantities as lq
from stack.engines.lmcache import WANTED, TierHits, read
from stack.metrics import catalog
from stack.metrics.family import Label
from tests.exporters import synthetic_lmcache

OWN = {Label.REPLICA: "l"}


def test_roots_of_one_name_are_summed_and_what_one_does_not_say_is_not_known() -> None:
    hits = {"a": TierHits(10.0, 4.0, None, 4.0), "b": TierHits(10.0, 4.0, 1.0, 5.0), "c": TierHits(10.0, 4.0, 1.0)}
    assert named(hits, lambda root: "c" if root == "c" else "m") == {
        "m": TierHits(20.0, 8.0, None, 9.0),
        "c": TierHits(10.0, 4.0, 1.0),
    }


def test_what_is_asked_of_l2_does_not_fall() -> None:
    samples = parse(
        b"""lmcache_mp_lookup_requested_tokens_total{model_name="m"} 10
lmcache_mp_lookup_hit_l1_tokens_total{model_name="m"} 4
lmcache_mp_lookup_hit_l2_tokens_total{model_name="m"} 1
lmcache_mp_l2_prefetch_adapters{state="active"} 1
""",
        WANTED,
    )
    points = list(lmcache_models.points(OWN, read(samples), str, lambda model, asked, epoch: asked + epoch))
    told = {(point.family, point.labels[Label.TIER]): point.value for point in points}
    assert told == {
        (catalog.CACHE_LOOKUP_TOKENS, "l1"): 10.0,
        (catalog.CACHE_HIT_TOKENS, "l1"): 4.0,
        (catalog.CACHE_LOOKUP_TOKENS, "l2"): 16.0,
        (catalog.CACHE_HIT_TOKENS, "l2"): 1.0,
    }


def test_hits_of_a_server_that_does_not_split_them_have_no_tier_of_their_own() -> None:
    samples = parse(
        b'lmcache_mp_lookup_requested_tokens_total{model_name="m"} 10\nlmcache_mp_lookup_hit_tokens_total{model_name="m"} 4\n',
        WANTED,
    )
    points = list(lmcache_models.points(OWN, read(samples), str))
    assert {(point.family, point.labels[Label.TIER]): point.value for point in points} == {
        (catalog.CACHE_LOOKUP_TOKENS, "lmcache"): 10.0, (catalog.CACHE_HIT_TOKENS, "lmcache"): 4.0,
    }  # fmt: skip


def test_a_server_tells_loaded_chunks_and_one_inside_an_engine_tokens() -> None:
    found = [
        point
        for table in (lq.MULTI_PROCESS, lq.IN_PROCESS)
        for point in lmcache_models.points(OWN, read(parse(synthetic_lmcache.exposition(table, (0, 5, 6)), WANTED)), str)
        if point.family in {catalog.CACHE_LOADED_CHUNKS, catalog.CACHE_LOADED_TOKENS}
    ]
    labels = OWN | {Label.MODEL_NAME: "/models/smollm2"}
    assert found == [
        Point(
            catalog.CACHE_LOADED_CHUNKS, labels | {Label.TIER: "l1"}, synthetic_lmcache.amount(lq.MULTI_PROCESS, lq.LOADED)
        ),
        Point(
            catalog.CACHE_LOADED_TOKENS, labels | {Label.TIER: "lmcache"}, synthetic_lmcache.amount(lq.IN_PROCESS, lq.INSIDE_LOADED)
        ),
    ]  # fmt: skip
