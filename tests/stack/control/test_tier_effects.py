"""What a change of the tiers' limits does, and where they are not as desired."""

from __future__ import annotations

import pytest

from stack.control.decide import Decision, decide, decide_whole
from stack.control.diff import Change
from stack.control.refusal import RefusedError
from stack.control.state import Desired
from stack.control.tier_effects import LimitStore, SwitchEviction, tier_drift, unmet
from stack.control.tiers import L2, NO_STORE, EvictionPolicy, StoreLimits, StoreSeen, Tiers
from tests.stack.control.samples import FLEET, STRATEGIES, desired, model

GIB = 1 << 30
SEEN = StoreSeen(maxmemory_bytes=2 * GIB, eviction_policy="allkeys-lru", used_bytes=3 * GIB // 2)


def _decide(limits: dict[str, object], before: Desired | None = None, seen: StoreSeen = SEEN) -> Decision:
    return decide({"tiers": {"l2": {"store": limits}}}, before or desired(), FLEET, STRATEGIES, store=seen)


def _refusal(limits: dict[str, object], seen: StoreSeen = SEEN) -> tuple[str, str]:
    with pytest.raises(RefusedError) as refused:
        _decide(limits, seen=seen)
    return refused.value.field, refused.value.message


def _tiers(memory: int | None = None, policy: EvictionPolicy | None = None) -> Tiers:
    return Tiers(l2=L2(store=StoreLimits(maxmemory_bytes=memory, eviction_policy=policy)))


def _sentences(decision: Decision) -> list[str]:
    return [effect.sentence for effect in decision.effects]


def test_a_stores_limit_changes_at_once() -> None:
    more = _decide({"maxmemory_bytes": 4 * GIB})
    assert more.effects == (LimitStore(4 * GIB, EvictionPolicy.ALLKEYS_LRU, SEEN),)
    assert _sentences(more) == ["The store may hold 4 GiB (until now 2 GiB), at once and without a restart."]
    assert more.diff == (Change(field="tiers.l2.store.maxmemory_bytes", before=None, after=4 * GIB),)
    assert more.desired.tiers == _tiers(4 * GIB)


def test_a_limit_below_what_is_held_says_what_is_lost() -> None:
    assert _sentences(_decide({"maxmemory_bytes": GIB})) == [
        "The store may hold 1 GiB (until now 2 GiB), at once and without a restart. "
        "512 MiB of what it holds are evicted (allkeys-lru)."
    ]
    assert _sentences(_decide({"maxmemory_bytes": GIB, "eviction_policy": "noeviction"})) == [
        "The store may hold 1 GiB (until now 2 GiB), at once and without a restart. "
        "It holds 1.5 GiB already and evicts no KV under noeviction: L2 takes nothing new.",
        "A full store takes no new KV, for LMCache's keys never expire, under noeviction (until now allkeys-lru), "
        "at once and without a restart.",
    ]


def test_a_policy_changes_at_once() -> None:
    decision = _decide({"eviction_policy": "allkeys-lfu"})
    assert decision.effects == (SwitchEviction(EvictionPolicy.ALLKEYS_LFU, SEEN),)
    assert _sentences(decision) == [
        "A full store makes room for new KV by allkeys-lfu (until now allkeys-lru), at once and without a restart."
    ]


def test_null_leaves_a_limit_to_the_store() -> None:
    before = _decide({"maxmemory_bytes": 4 * GIB, "eviction_policy": "allkeys-lfu"}).desired
    decision = _decide({"maxmemory_bytes": None, "eviction_policy": None}, before)
    assert _sentences(decision) == [
        "The store keeps the limit it has (2 GiB); kvdeck does not set it any more.",
        "The store keeps the eviction policy it has (allkeys-lru); kvdeck does not set it any more.",
    ]
    assert decision.desired == desired()
    assert _decide({"maxmemory_bytes": None}, seen=NO_STORE).diff == ()


def test_a_store_that_does_not_answer_gets_it_later() -> None:
    away = StoreSeen(error="the store does not answer: ConnectionError")
    assert _sentences(_decide({"maxmemory_bytes": GIB}, seen=away)) == [
        "The store may hold 1 GiB (until now an unknown limit), at once and without a restart. "
        "It does not answer now, so once it does: the store does not answer: ConnectionError."
    ]


@pytest.mark.parametrize(
    ("limits", "field", "message"),
    [
        ({"maxmemory_bytes": 0}, "maxmemory_bytes", "0 is not allowed: a whole number from 16,777,216 to"),
        ({"maxmemory_bytes": 1 << 51}, "maxmemory_bytes", "2251799813685248 is not allowed: a whole number"),
        ({"maxmemory_bytes": "2gb"}, "maxmemory_bytes", '"2gb" is not allowed: a whole number'),
        ({"eviction_policy": "oldest"}, "eviction_policy", '"oldest" is not allowed: noeviction, allkeys-lru, '),
        ({"ttl": 3}, "ttl", "unknown field 'ttl'; allowed in tiers.l2.store: maxmemory_bytes, eviction_policy"),
    ],
)
def test_what_no_store_takes_is_refused(limits: dict[str, object], field: str, message: str) -> None:
    own, said = _refusal(limits)
    assert own == f"tiers.l2.store.{field}"
    assert message in said


def test_limits_that_cannot_be_changed_from_here_are_refused_with_the_reason() -> None:
    words = "control knows no store behind LMCache: start it with --cache-store redis://HOST:PORT"
    assert _refusal({"maxmemory_bytes": GIB}, NO_STORE) == ("tiers.l2.store.maxmemory_bytes", words)
    managed = StoreSeen(error="no", refusal="the store lets nobody configure it")
    assert _refusal({"eviction_policy": "noeviction"}, managed)[1] == "the store lets nobody configure it"


def test_tiers_are_all_models_together() -> None:
    both = decide(
        {"strategy": "session", "tiers": {"l2": {"store": {"maxmemory_bytes": GIB}}}}, desired(), FLEET, STRATEGIES, store=SEEN
    )
    assert both.desired == Desired(models={"smollm2": model(strategy="session")}, tiers=_tiers(GIB))
    two = Desired(models={"smollm2": model(), "other": model()})
    assert _decide({"maxmemory_bytes": GIB}, two).desired.tiers == _tiers(GIB)


def test_a_whole_document_says_all_of_the_tiers() -> None:
    before = _decide({"maxmemory_bytes": 4 * GIB}).desired
    document = {"models": {"smollm2": {"pools": {"decode": {"replicas": 2}}, "dpd": {"enabled": False}}}}
    assert decide_whole(document, before, FLEET, STRATEGIES, store=SEEN).desired.tiers == Tiers()


def test_drift_is_what_the_store_has_not_or_is_not_known_to_have() -> None:
    wanted = _tiers(4 * GIB, EvictionPolicy.ALLKEYS_LRU)
    assert unmet(wanted.l2.store, SEEN) == StoreLimits(maxmemory_bytes=4 * GIB)
    assert tier_drift(wanted, SEEN) == {"tiers.l2.store.maxmemory_bytes": "the store has 2 GiB, desired are 4 GiB"}
    away = StoreSeen(error="the store does not answer")
    assert unmet(wanted.l2.store, away) == StoreLimits()
    assert tier_drift(wanted, away) == dict.fromkeys(
        ("tiers.l2.store.maxmemory_bytes", "tiers.l2.store.eviction_policy"), "the store does not answer"
    )
    assert tier_drift(Tiers(), away) == {}
    assert tier_drift(_tiers(2 * GIB), SEEN) == {}


def test_what_is_seen_is_said_in_words() -> None:
    assert SEEN.words == "holds 1.5 GiB of 2 GiB, allkeys-lru"
    assert StoreSeen(maxmemory_bytes=0, eviction_policy="noeviction", used_bytes=1 << 20).words == (
        "holds 1 MiB and has no limit, noeviction"
    )
    assert NO_STORE.words == "unknown, control knows no store"
