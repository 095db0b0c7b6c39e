"""Every field tells what is desired, who goes by what, and what keeps the two apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from stack.control.diff import leaves
from stack.control.fields import NOBODY, FieldState, Follower, Held, Outlook, fields
from stack.control.members import Member
from stack.control.tier_effects import MEMORY, POLICY
from stack.control.tiers import StoreSeen
from tests.stack.control.samples import FLEET, desired

NOW = leaves(desired())
BEFORE = NOW | {"models.smollm2.dpd.routing_threshold": 64}
THRESHOLD, DECODE = "models.smollm2.dpd.routing_threshold", "models.smollm2.pools.decode.replicas"


def found(
    *followers: Follower, members: Sequence[Member] = FLEET, drift: Mapping[str, str] | None = None
) -> Mapping[str, FieldState]:
    outlook = Outlook(desired(), followers, members, {}, drift or {})
    return {field.field: field for field in fields(outlook)}


def test_every_field_is_there_and_as_desired_where_all_routers_follow() -> None:
    every = found(Follower("router-0", NOW), Follower("router-1", NOW))
    assert list(every) == sorted(NOW)
    assert {name: field.desired for name, field in every.items()} == NOW
    assert {field.reason for field in every.values()} == {None}
    assert every[THRESHOLD].applied == (Held(by=("router-0", "router-1"), value=512),)
    assert every["tiers.l2.store.eviction_policy"].applied == (Held(by=("store",), known=False),)
    assert every[DECODE].applied == (Held(by=("machinery",), value=2),)
    assert every["models.smollm2.pools.decode.bounds.max"].applied == (Held(by=("control",), value=1024),)


def test_a_router_that_lags_differs_in_what_changed_and_in_nothing_else() -> None:
    lag = "applies generation 3, desired is 4"
    every = found(Follower("router-0", NOW), Follower("router-1", BEFORE, lag=lag))
    assert {name for name, field in every.items() if field.reason} == {THRESHOLD}
    assert every[THRESHOLD].applied == (Held(by=("router-0",), value=512), Held(by=("router-1",), value=64))
    assert every[THRESHOLD].reason == f"router-1 {lag}"


def test_what_a_router_does_not_know_and_what_it_goes_by_is_unknown() -> None:
    every = found(Follower("router-0", NOW, frozenset({THRESHOLD}), "goes without it"), Follower("router-1", None))
    assert every[THRESHOLD].applied == (Held(by=("router-0", "router-1"), known=False),)
    assert every[THRESHOLD].reason == "router-0 goes without it; router-1 does not tell what it goes by"


def test_without_routers_what_is_applied_is_unknown_and_not_fine() -> None:
    every = found()
    assert (every[THRESHOLD].applied, every[THRESHOLD].reason) == ((), NOBODY)
    assert every[DECODE].reason is None


def test_a_pools_drift_is_its_fields_and_a_machinery_that_does_not_answer_makes_it_unknown() -> None:
    every = found(Follower("router-0", NOW), members=FLEET[:2], drift={DECODE: "1 of 2 ready"})
    assert every["tiers.l2.store.eviction_policy"].applied == (Held(by=("store",), known=False),)
    assert every[DECODE].applied == (Held(by=("machinery",), value=1),)
    assert (every[DECODE].observed, every[DECODE].reason) == ("1 ready", "1 of 2 ready")
    away = found(Follower("router-0", NOW), drift={"machinery": "no supervisor answers (tried 2x)"})
    assert away[DECODE].applied == (Held(by=("machinery",), known=False),)
    assert away[DECODE].reason == "no supervisor answers (tried 2x)"


def test_the_store_goes_by_its_own_limits_where_none_is_desired() -> None:
    store = StoreSeen(maxmemory_bytes=1 << 30, eviction_policy="allkeys-lru", used_bytes=1 << 29)
    every = {field.field: field for field in fields(Outlook(desired(), [], FLEET, {}, {MEMORY: "why"}, store))}
    assert every[MEMORY] == FieldState(
        field=MEMORY,
        desired=None,
        applied=(Held(by=("store",), value=1 << 30),),
        observed="holds 512 MiB of 1 GiB, allkeys-lru",
        reason="why",
    )
    assert every[POLICY].applied == (Held(by=("store",), value="allkeys-lru"),)
