"""How fleets serve, from what Prometheus says."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime

import pytest

from dashboard.asking import Answers
from dashboard.desk import Failed
from dashboard.overall import pools, served
from dashboard.overall.fleets import Fleet, known
from dashboard.overall.pools import PoolNow
from dashboard.overall.served import Goal, Served, Spread
from dashboard.promapi import Sample
from dashboard.sites import Site
from stack.metrics.objective_queries import Objective

Told = Mapping[str, list[tuple[dict[str, str], float]]]


def answers(told: Told, **failed: str) -> Answers:
    found = {name: [Sample(labels, value, 0.0) for labels, value in series] for name, series in told.items()}
    rest: dict[str, list[Sample]] = {name: [] for name in (*served.NAMES, *pools.NAMES)}
    return Answers(datetime.fromtimestamp(0, UTC), rest | found | {name: Failed(why) for name, why in failed.items()})


def fleets(told: Told, **failed: str) -> list[Served]:
    return served.served(known(answers(told, **failed), served.NAMES))


def test_everything_of_a_model_is_one_fleet_though_its_router_is_in_another_namespace() -> None:
    rates = {"2xx": 3.0, "5xx": 1.0}
    (one,) = fleets(
        {
            "requests": [({"model_name": "m", "namespace": "kvdeck", "code": code}, rate) for code, rate in rates.items()],
            "ttft": [({"model_name": "m", "namespace": "kvdeck", "path": "dpd", "quantile": "p95"}, 0.5)],
            "hits": [({"model_name": "m", "namespace": "engines", "tier": "l1"}, 0.4)],
        }
    )  # fmt: skip
    assert one == Served(Fleet("m", Site("", "engines, kvdeck")), rates, {"dpd": Spread(None, 0.5)}, {}, {"l1": 0.4}, {})
    assert (one.rate, one.errors, one.good, one.goodput) == (4.0, 0.25, None, None)


def test_a_model_in_two_namespaces_is_two_fleets() -> None:
    told = fleets(
        {"hits": [({"model_name": "m", "namespace": name, "tier": "l1"}, value) for name, value in (("a", 0.1), ("b", 0.9))]}
    )
    assert [(each.fleet, each.hits) for each in told] == [
        (Fleet("m", Site("", "a")), {"l1": 0.1}),
        (Fleet("m", Site("", "b")), {"l1": 0.9}),
    ]


def test_clusters_are_never_added_up() -> None:
    told = fleets({"requests": [({"model_name": "m", "cluster": name, "code": "2xx"}, 1.0) for name in ("a", "b")]})
    assert [str(each.fleet.site) for each in told] == ["a", "b"]
    assert served.total(told) == (2.0, 0.0)


def test_goodput_is_at_most_the_least_share_that_met_an_objective() -> None:
    (one,) = fleets(
        {
            "requests": [({"model_name": "m", "code": "2xx"}, 10.0)],
            "missed": [({"model_name": "m", "objective": "ttft"}, 0.2), ({"model_name": "m", "objective": "itl"}, 0.01)],
            "budget": [({"model_name": "m", "objective": "ttft"}, 0.05)],
            "bound": [({"model_name": "m", "objective": "ttft"}, 2.5)],
        }
    )
    late, gaps = one.goals
    assert (late, gaps) == (Goal(Objective.TTFT, 0.2, 0.05, 2.5), Goal(Objective.ITL, 0.01))
    assert late.left == pytest.approx(-3.0)
    assert gaps.left is None
    assert (one.good, one.goodput) == (0.8, 8.0)


def test_what_failed_is_unknown_and_says_why() -> None:
    found = known(answers({"hits": [({"model_name": "m", "tier": "l1"}, 0.4)]}, requests="Prometheus is slow"), served.NAMES)
    assert found.failed == ("Prometheus is slow",)
    assert [each.rate for each in served.served(found)] == [None]
    assert served.total(served.served(found)) == (None, None)


def test_requests_that_name_no_model_come_last() -> None:
    told = fleets({"requests": [({"code": "4xx"}, 1.0), ({"model_name": "m", "code": "2xx"}, 1.0)]})
    assert [each.fleet.model for each in told] == ["m", ""]


def test_a_pool_is_ready_as_control_sees_it_else_as_routers_do() -> None:
    labels = {"model_name": "m", "pool": "decode"}
    told = {
        "replicas": [({**labels, "state": "desired"}, 3.0), ({**labels, "state": "ready"}, 2.0)],
        "routable": [(labels, 1.0), ({"model_name": "m", "pool": "prefill"}, 1.0)],
        "load": [({**labels, "state": "waiting"}, 4.0)],
        "kv used": [(labels, 0.5)],
    }
    assert pools.pools(known(answers(told), pools.NAMES)) == [
        PoolNow(Fleet("m"), "prefill", ready=1.0),
        PoolNow(Fleet("m"), "decode", desired=3.0, ready=2.0, waiting=4.0, kv_used=0.5),
    ]
