"""What some of a store's keys say of all."""

import pytest

from exporters.collector import Point
from exporters.store_sample import KEPT, Batch, Sample
from stack.metrics import catalog
from stack.metrics.family import Family, Label


def kv(model: str, number: int) -> bytes:
    return f"{model}@02020100@0@{number:064x}".encode()


def points(sample: Sample, count: int) -> list[Point]:
    return list(sample.points("redis", count, str))


def value(sample: Sample, count: int, family: Family) -> list[float]:
    return [point.value for point in points(sample, count) if point.family is family and isinstance(point.value, float)]


def of(model: str) -> dict[Label, str]:
    return {Label.MODEL_NAME: model, Label.REPLICA: "redis"}


def test_shares_of_the_sample_are_shares_of_the_store_and_sizes_are_a_models_mean() -> None:
    sample = Sample()
    keys = [kv("a", 1), kv("a", 2), kv("a", 3), kv("b", 1), b"session:1"]
    sample.take(Batch(keys, {kv("a", 1): 100, kv("a", 2): 300, b"session:1": 9}, whole=False))
    assert points(sample, 50) == [
        Point(catalog.STORE_SAMPLED_KEYS, {Label.REPLICA: "redis"}, 5.0),
        Point(catalog.STORE_KV_KEYS, of("a"), 30.0),
        Point(catalog.STORE_KV_BYTES, of("a"), 6000.0),
        Point(catalog.STORE_KV_KEYS, of("b"), 10.0),
    ]


def test_the_last_scrapes_count_together_and_older_ones_no_more() -> None:
    sample = Sample()
    for scrape in range(KEPT + 1):
        sample.take(Batch([kv("old" if scrape == 0 else "new", scrape)], {}, whole=False))
    assert points(sample, 70) == [
        Point(catalog.STORE_SAMPLED_KEYS, {Label.REPLICA: "redis"}, float(KEPT)), Point(catalog.STORE_KV_KEYS, of("new"), 70.0),
    ]  # fmt: skip


def test_all_keys_at_once_are_no_estimate() -> None:
    sample = Sample()
    sample.take(Batch([kv("a", 1)], {}, whole=True))
    sample.take(Batch([kv("b", 1), kv("b", 2)], {}, whole=True))
    assert (value(sample, 2, catalog.STORE_SAMPLED_KEYS), value(sample, 2, catalog.STORE_KV_KEYS)) == ([2.0], [2.0])


def test_a_store_that_went_to_another_exporter_leaves_no_keys() -> None:
    sample = Sample()
    sample.take(Batch([kv("a", 1)], {}, whole=False))
    sample.forget()
    assert value(sample, 9, catalog.STORE_SAMPLED_KEYS) == [0.0]


@pytest.mark.parametrize("taken", [[], [Batch([], {}, whole=True)]])
def test_an_empty_store_has_no_models(taken: list[Batch]) -> None:
    sample = Sample()
    for batch in taken:
        sample.take(batch)
    assert points(sample, 0) == [Point(catalog.STORE_SAMPLED_KEYS, {Label.REPLICA: "redis"}, 0.0)]


def test_models_told_under_one_name_are_one() -> None:
    sample = Sample()
    sample.take(Batch([kv("a", 1), kv("b", 1)], {kv("a", 1): 10, kv("b", 1): 30}, whole=True))
    assert list(sample.points("redis", 2, lambda root: "other"))[1:] == [
        Point(catalog.STORE_KV_KEYS, of("other"), 2.0), Point(catalog.STORE_KV_BYTES, of("other"), 40.0),
    ]  # fmt: skip
