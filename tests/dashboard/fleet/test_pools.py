"""Pools, one row each."""

from dashboard.fleet.name import Name
from dashboard.fleet.pools import Row, of_control, of_prometheus, table
from dashboard.fleet.seen import engines
from dashboard.fleet.told import Listed, Told
from dashboard.sites import NOWHERE, Site
from stack.api.pool_views import PoolView
from stack.api.schema import Applied, Drift, StateView
from stack.control.state import REPLICAS_MAX
from stack.fleet.engine import State
from stack.metrics.engine_queries import Quantity
from stack.model.tier import Pool
from tests.dashboard.fleet.samples import DECODE, PREFILL, view
from tests.stack.control.samples import desired

NONE = {State.JOINING.value: 0, State.READY.value: 0, State.DRAINING.value: 0, State.DRAINED.value: 0, State.DOWN.value: 0}


def test_controls_pools_are_told_with_what_they_wait_for_the_least_done_first() -> None:
    field = "models.smollm2.pools.decode.replicas"
    state = StateView(
        generation=1, desired=desired(), applied=Applied(), engines=(view("decode-0", in_flight=2), view("prefill-0")),
        pools=(PoolView(model="smollm2", pool=Pool.DECODE, workload="Deployment decode", replicas=2),),
        drift=(Drift(field=field, reason="1 of 2 ready", since=0.0),),
    )  # fmt: skip
    told = Told({
        Name(DECODE): {Quantity.IN_FLIGHT: 9.0, Quantity.USED: 0.5},
        **{Name(PREFILL, site=Site("", namespace)): {Quantity.USED: 0.5} for namespace in ("a", "b")},
    })  # fmt: skip
    several = "several clusters or namespaces have it: pick one above for its figures"
    assert of_control(state, told) == [
        Row(
            DECODE, {**NONE, "ready": 1}, NOWHERE, 2, 0.5, (0, REPLICAS_MAX), {Quantity.IN_FLIGHT: 2.0, Quantity.USED: 0.5},
            ("1 of 2 ready", "run by Deployment decode"),
        ),
        Row(PREFILL, {**NONE, "ready": 1}, NOWHERE, 1, 1.0, (0, REPLICAS_MAX), {Quantity.IN_FLIGHT: 0.0}, (several,)),
    ]  # fmt: skip


def test_in_flight_is_prometheus_word_where_control_does_not_know_it_of_all() -> None:
    state = StateView(
        generation=1,
        desired=desired(),
        applied=Applied(),
        engines=(view("decode-0", in_flight=2), view("decode-1", in_flight=None)),
    )
    rows = of_control(state, Told({Name(DECODE): {Quantity.IN_FLIGHT: 9.0}}))
    assert {row.place: row.figures for row in rows} == {
        DECODE: {Quantity.IN_FLIGHT: 9.0},
        PREFILL: {Quantity.IN_FLIGHT: 0.0},
    }


def test_without_control_nobody_can_tell_who_is_drained() -> None:
    found = engines(None, {Name(DECODE, "decode-0"): Listed(health="ready"), Name(DECODE, "decode-1"): Listed(health="not_ready")})
    (row,) = of_prometheus(found, Told({Name(DECODE): {Quantity.DESIRED: 4.0}}))
    assert (row.desired, row.progress, row.by_state) == (4, 0.25, {"down": 1, "unknown": 0, "joining": 0, "ready": 1})
    cells = table([row]).to_dict("records")[0]
    assert (cells["drained"], cells["bounds"], cells["in flight"]) == (None, None, None)


def test_a_pool_of_which_nobody_says_what_is_desired_has_no_progress() -> None:
    (row,) = of_prometheus(engines(None, {Name(DECODE, "decode-0"): Listed(health="ready")}), Told())
    assert (row.desired, row.progress) == (None, None)


def test_pools_of_one_name_in_two_clusters_are_rows_of_their_own() -> None:
    east, west = (Site(name, "llm") for name in ("east", "west"))
    found = engines(None, {
        Name(DECODE, "decode-0", east): Listed(health="ready"),
        Name(DECODE, "decode-0", west): Listed(health="not_ready"),
        Name(DECODE, "decode-1", west): Listed(health="ready"),
    })  # fmt: skip
    told = Told({Name(DECODE, site=east): {Quantity.USED: 0.1}, Name(DECODE, site=west): {Quantity.USED: 0.9}})
    rows = table(of_prometheus(found, told))[["pool", "where", "ready", "down", "KV used"]]
    assert rows.to_numpy().tolist() == [
        ["smollm2 decode", "east / llm", 1, 0, 10.0], ["smollm2 decode", "west / llm", 1, 1, 90.0],
    ]  # fmt: skip
