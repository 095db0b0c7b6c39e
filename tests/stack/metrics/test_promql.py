import pytest

from stack.metrics import catalog
from stack.metrics.family import Label
from stack.metrics.promql import (
    EVERYWHERE,
    Pattern,
    Where,
    aggregate,
    at_most,
    known,
    loosely,
    one_of,
    quantile,
    rate,
    ratio,
    selector,
)


def test_label_values_are_escaped() -> None:
    hostile = {Label.MODEL_NAME: 'a"} or vector(1) #\\\n'}
    assert selector(catalog.ENGINE_GENERATED_TOKENS, hostile) == (
        'kvdeck_engine_generated_tokens_total{model_name="a\\"} or vector(1) #\\\\\\n"}'
    )


def test_a_label_that_the_family_does_not_carry_is_refused() -> None:
    with pytest.raises(ValueError, match="kvdeck_cache_evicted_keys_total has no label model_name"):
        selector(catalog.CACHE_EVICTED_KEYS, {Label.MODEL_NAME: "m"})


def test_a_histogram_needs_a_part_and_nothing_else_has_one() -> None:
    with pytest.raises(ValueError, match="is a histogram"):
        selector(catalog.ROUTER_TTFT)
    with pytest.raises(ValueError, match="is a gauge"):
        selector(catalog.BUILD_INFO, part="_sum")


def test_expressions_are_what_one_would_write_by_hand() -> None:
    tier = {Label.TIER: "l1"}
    assert rate(catalog.CACHE_HIT_TOKENS, (Label.TIER,), tier, "1m") == (
        'sum by (cluster, namespace, tier) (rate(kvdeck_cache_hit_tokens_total{tier="l1"}[1m]))'
    )
    assert (
        rate(catalog.CACHE_HIT_TOKENS, (), EVERYWHERE, "1m")
        == "sum by (cluster, namespace) (rate(kvdeck_cache_hit_tokens_total{}[1m]))"
    )
    assert ratio("a", "b") == "a / (b > 0)"
    assert aggregate("max", "a", [Label.TIER, Label.REPLICA]) == "max by (cluster, namespace, tier, replica) (a)"
    assert quantile(0.95, catalog.ROUTER_TTFT, (Label.PATH,), EVERYWHERE, "5m") == (
        "histogram_quantile(0.95, sum by (le, cluster, namespace, path) "
        "(rate(kvdeck_router_time_to_first_token_seconds_bucket{}[5m])))"
    )


def test_a_pattern_matches_as_written_and_what_prometheus_attaches_is_of_every_family() -> None:
    where: Where = {Label.CLUSTER: Pattern("$cluster"), Label.TIER: "l1"}
    assert selector(catalog.CACHE_EVICTED_KEYS, where) == 'kvdeck_cache_evicted_keys_total{cluster=~"$cluster",tier="l1"}'


def test_samples_are_counted_up_to_a_bucket_that_there_is() -> None:
    assert at_most(-64.0, catalog.ROUTER_INDEX_ERROR, (), {Label.MODEL_NAME: "m"}, "5m") == (
        'sum by (cluster, namespace) (rate(kvdeck_router_index_error_tokens_bucket{le="-64.0",model_name="m"}[5m]))'
    )
    with pytest.raises(ValueError, match="no bucket 65"):
        at_most(65.0, catalog.ROUTER_INDEX_ERROR, (), EVERYWHERE, "5m")


def test_what_models_share_is_found_with_and_without_their_name() -> None:
    where = loosely({Label.MODEL_NAME: 'a.b"c', Label.NAMESPACE: "ns"}, Label.MODEL_NAME)
    assert selector(catalog.CACHE_USED_RATIO, where) == 'kvdeck_cache_used_ratio{model_name=~"a\\\\.b\\"c|",namespace="ns"}'


def test_a_question_of_several_families_narrows_each_by_what_it_carries() -> None:
    where = {Label.MODEL_NAME: "m", Label.NAMESPACE: "ns"}
    assert known(where, catalog.CACHE_EVICTED_KEYS) == {Label.NAMESPACE: "ns"}
    assert known(where, catalog.CACHE_EVICTED_CHUNKS) == where


def test_any_of_several_values_is_matched_as_it_is_written() -> None:
    assert (
        selector(catalog.CACHE_USED_RATIO, {Label.REPLICA: one_of(["b", "a.0"])}) == 'kvdeck_cache_used_ratio{replica=~"a\\\\.0|b"}'
    )
