"""Who has more than its share."""

from __future__ import annotations

import pytest

from dashboard.deciding import hotspots
from dashboard.promapi import Sample
from stack.metrics.balance_queries import HELD, LEAST, MEAN, WAITING


def _engine(state: str, replica: str, value: float, pool: str = "decode") -> Sample:
    return Sample({"model_name": "m", "pool": pool, "replica": replica, "state": state}, value, 0.0)


def _pool(state: str, value: float, pool: str = "decode") -> Sample:
    return Sample({"model_name": "m", "pool": pool, "state": state}, value, 0.0)


def pressed(waiting: float, least: float | None) -> list[Sample]:
    pool = [_pool(MEAN, 4.0), *([] if least is None else [_pool(LEAST, least)])]
    engines = [
        _engine(HELD, "d-0", 12.0),
        _engine(HELD, "d-1", 0.5),
        _engine(WAITING, "d-0", waiting),
        _engine(WAITING, "d-1", 0.0),
    ]
    return [*engines, *pool]


@pytest.mark.parametrize(("waiting", "least", "hot"), [(4.5, 0.5, True), (4.0, 0.5, False), (4.5, 1.0, False), (4.5, None, False)])
def test_a_hotspot_queues_beside_an_idle_engine(waiting: float, least: float | None, hot: bool) -> None:
    assert [one.hot for one in hotspots.shares(pressed(waiting, least), [])] == [hot, False]


def test_an_engine_is_held_against_its_pools_mean_and_what_is_unknown_is_empty() -> None:
    work = [_engine(HELD, "d-0", 300.0), _pool(MEAN, 100.0)]
    rows = hotspots.table(hotspots.shares([*pressed(5.0, 0.5), _engine(HELD, "p-0", 1.0, "prefill")], work))
    assert rows.columns.tolist()[:2] == ["engine", "pool"]  # one fleet, one model: neither is named
    assert rows.iloc[0].tolist() == ["d-0", "decode", 12.0, 5.0, 3.0, 0.5, 300.0, 3.0, "queues beside an idle one"]
    prefill = rows[rows["engine"] == "p-0"].iloc[0]
    assert prefill[["waiting", "of the mean", "pool's least", "prompt tokens", "of the mean rate"]].isna().all()


def test_several_models_are_told_apart() -> None:
    other = Sample({"model_name": "other", "pool": "decode", "replica": "o-0", "state": HELD}, 1.0, 0.0)
    assert hotspots.table(hotspots.shares([*pressed(0.0, 0.0), other], []))["model"].tolist() == ["m", "m", "other"]


def test_engines_of_one_name_in_two_clusters_are_told_apart() -> None:
    both = [
        Sample({**sample.labels, "cluster": cluster}, sample.value * factor, 0.0)
        for cluster, factor in (("east", 1.0), ("west", 0.5))
        for sample in pressed(5.0, 0.5)
    ]
    rows = hotspots.table(hotspots.shares(both, []))
    assert rows[["engine", "cluster", "requests", "of the mean"]].to_numpy().tolist() == [
        ["d-0", "east", 12.0, 3.0], ["d-0", "west", 6.0, 3.0], ["d-1", "east", 0.5, 0.125], ["d-1", "west", 0.25, 0.125],
    ]  # fmt: skip
