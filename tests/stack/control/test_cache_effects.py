"""What a change of L1 and of quotas does, and where cache servers are not as desired."""

from __future__ import annotations

import pytest

from stack.control.cache_effects import L1_BYTES, QUOTAS, ChangeQuotas, ResizeL1, cache_drift, quota_steps
from stack.control.decide import Decision, decide
from stack.control.fields import Held, Outlook, fields
from stack.control.machinery import Machinery
from stack.control.refusal import RefusedError
from stack.control.state import Desired
from stack.control.tiers import L1, L2, CacheSeen, Tiers
from tests.stack.control.samples import FLEET, STRATEGIES, desired

GIB, MIB = 1 << 30, 1 << 20
LOCAL = Machinery(resizes_l1=True)
SEEN = CacheSeen(server="lmcache", l1_bytes=512 * MIB, l1_used_bytes=180 * MIB, quotas={"acme": GIB}, isolated=True)


def _decide(tiers: dict[str, object], before: Desired | None = None, machinery: Machinery = LOCAL, *seen: CacheSeen) -> Decision:
    return decide({"tiers": tiers}, before or desired(), FLEET, STRATEGIES, machinery, caches=seen or (SEEN,))


def _quotas(quotas: object, before: Desired | None = None, *seen: CacheSeen) -> Decision:
    return _decide({"l2": {"quotas": quotas}}, before, LOCAL, *seen)


def test_another_size_of_l1_says_what_the_restart_costs() -> None:
    (effect,) = _decide({"l1": {"bytes": GIB}}).effects
    assert effect == ResizeL1(GIB, (SEEN,))
    assert effect.sentence == (
        "The cache server is restarted with 1 GiB of L1 (until now 512 MiB): 180 MiB of KV in it are lost, what L2 holds stays. "
        "Until it is back engines compute what they would have loaded, and a request that asks it meanwhile may wait for 15 s."
    )
    left = _decide({"l1": {"bytes": None}}, _decide({"l1": {"bytes": GIB}}).desired)
    assert [one.sentence for one in left.effects] == ["L1 keeps the size it has (512 MiB); kvdeck does not set it any more."]


def test_where_nobody_restarts_cache_servers_l1_is_refused_and_says_where_it_is_set() -> None:
    with pytest.raises(RefusedError, match="--l1-size-gb") as refused:
        _decide({"l1": {"bytes": GIB}}, None, Machinery())
    assert refused.value.field == L1_BYTES


def test_quotas_are_given_changed_and_taken() -> None:
    given = _quotas({"acme": GIB, "_default": 2 * GIB})
    assert given.effects == (ChangeQuotas({"acme": GIB, "_default": 2 * GIB}, ()),)
    assert given.effects[0].sentence == (
        "L2 holds at most: acme 1 GiB, _default 2 GiB. "
        "Live, within seconds; the KV of every salt that has no quota is evicted from L2."
    )
    assert [change.field for change in given.diff] == ["tiers.l2.quotas._default", "tiers.l2.quotas.acme"]
    (changed,) = _quotas({"acme": None, "_default": GIB}, given.desired).effects
    assert changed == ChangeQuotas({"_default": GIB}, ("acme",))
    assert changed.sentence.startswith("L2 holds at most: _default 1 GiB. Without a quota from now on: acme. Live")
    (left,) = _quotas({"acme": None, "_default": None}, given.desired).effects
    assert _quotas(None, given.desired).effects == (left,)
    assert left.sentence == "The quotas stay as the cache servers have them; kvdeck does not set them any more."


@pytest.mark.parametrize(
    ("quotas", "message"),
    [
        ({"a/b": 1}, "1 to 256 characters without a slash are allowed"),
        ({"acme": -1}, "-1 is not allowed: a whole number from 0 to"),
        ({"acme": "much"}, '"much" is not allowed: a whole number'),
        ("all", '"all" is not allowed: an object keyed by names, each a whole number'),
    ],
)
def test_quotas_that_no_server_takes_are_refused(quotas: object, message: str) -> None:
    with pytest.raises(RefusedError) as refused:
        _quotas(quotas)
    assert refused.value.field.startswith(QUOTAS)
    assert message in refused.value.message


def test_quotas_without_effect_are_refused() -> None:
    shared = CacheSeen(server="lmcache", isolated=False)
    with pytest.raises(RefusedError) as refused:
        _quotas({"acme": GIB}, None, shared)
    assert (refused.value.field, refused.value.message) == (
        QUOTAS,
        "lmcache does not evict by salt, so a quota has no effect: its L2 adapter needs the eviction_policy IsolatedLRU",
    )
    with pytest.raises(RefusedError, match="no cache server reports"):
        decide({"tiers": {"l2": {"quotas": {"acme": 1}}}}, desired(), FLEET, STRATEGIES)


def test_what_is_wanted_is_all_that_a_server_has() -> None:
    assert quota_steps({"acme": GIB}, SEEN) == {}
    assert quota_steps({"acme": 5, "umbrella": 6}, SEEN) == {"acme": 5, "umbrella": 6}
    assert quota_steps({"umbrella": 6}, SEEN) == {"umbrella": 6, "acme": None}
    assert quota_steps({}, SEEN) == {}
    assert quota_steps({"acme": 5}, CacheSeen(server="lmcache")) == {}


def test_drift_names_the_servers() -> None:
    tiers = Tiers(l1=L1(bytes=GIB), l2=L2(quotas={"acme": 5, "umbrella": 6}))
    away = CacheSeen(server="b", error="does not tell its quotas: ConnectError")
    assert cache_drift(tiers, (SEEN, away, CacheSeen(server="c"))) == {
        L1_BYTES: "lmcache has 512 MiB of L1; b does not tell its quotas: ConnectError; c does not tell its L1",
        QUOTAS: "lmcache has 2 quotas that are not as desired; b does not tell its quotas: ConnectError; "
        "c does not tell its quotas",
    }
    assert cache_drift(tiers, ()) == dict.fromkeys((L1_BYTES, QUOTAS), "no cache server reports to control")
    assert cache_drift(Tiers(), (away,)) == {}
    assert cache_drift(Tiers(l1=L1(bytes=512 * MIB), l2=L2(quotas={"acme": GIB})), (SEEN,)) == {}


def test_every_quota_is_a_field_and_says_who_goes_by_it() -> None:
    wanted = Desired(models=desired().models, tiers=Tiers(l2=L2(quotas={"acme": GIB, "umbrella": 6})))
    outlook = Outlook(wanted, [], FLEET, {}, {QUOTAS: "why"}, caches=(SEEN,))
    every = {field.field: field for field in fields(outlook)}
    assert every[L1_BYTES].applied == (Held(by=("lmcache",), value=512 * MIB),)
    acme, umbrella = every[f"{QUOTAS}.acme"], every[f"{QUOTAS}.umbrella"]
    assert (acme.applied, acme.reason) == ((Held(by=("lmcache",), value=GIB),), "why")
    assert umbrella.applied == (Held(by=("lmcache",), known=False),)
