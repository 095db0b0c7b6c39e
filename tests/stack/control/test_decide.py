from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stack.control.choosing_effects import SwitchStrategy
from stack.control.decide import Decision, decide
from stack.control.diff import Change
from stack.control.dpd_effects import ChangeMinUncached, ChangeThreshold, SwitchDpd, SwitchProtocol
from stack.control.effects import ChangeLimits, ChangeShadowShare, SwitchStalledEjection
from stack.control.pool_effects import ChangeBounds, ChangeDrainTime, ChangePrice
from stack.control.refusal import RefusedError
from stack.control.scaling import GrowPool, ShrinkPool
from stack.control.state import Desired, PoolState
from stack.control.warmth import warmth
from stack.fleet.engine import State
from stack.model.tier import Pool
from tests.stack.control.samples import FLEET, STRATEGIES, desired, member, model


def _decide(patch: object, before: Desired | None = None) -> Decision:
    return decide(patch, before or desired(), FLEET, STRATEGIES)


def _refusal(patch: object, before: Desired | None = None) -> tuple[str, str]:
    with pytest.raises(RefusedError) as refused:
        _decide(patch, before)
    return refused.value.field, refused.value.message


def test_a_switch_changes_one_field_and_keeps_all_others() -> None:
    decision = _decide({"models": {"smollm2": {"strategy": "session"}}})
    assert decision.desired == Desired(models={"smollm2": model(strategy="session")})
    assert decision.diff == (Change(field="models.smollm2.strategy", before="prefix_aware", after="session"),)
    assert decision.effects == (
        SwitchStrategy("smollm2", Pool.PREFILL, "prefix_aware", "session"),
        SwitchStrategy("smollm2", Pool.DECODE, "prefix_aware", "session"),
    )


def test_the_unkeyed_form_means_the_one_model() -> None:
    assert _decide({"dpd": {"routing_threshold": 0}}) == _decide({"models": {"smollm2": {"dpd": {"routing_threshold": 0}}}})


def test_the_unkeyed_form_is_refused_while_two_models_are_served() -> None:
    two = Desired(models={"smollm2": model(), "other": model()})
    assert _refusal({"strategy": "session"}, two) == (
        "strategy",
        "several models are served (other, smollm2): put the change under models.<name>",
    )
    keyed = _decide({"models": {"other": {"strategy": "session"}}}, two)
    assert keyed.desired.models == {"smollm2": model(), "other": model(strategy="session")}


@pytest.mark.parametrize(
    ("spelling", "name"),
    [("prefixaware", "prefix_aware"), ("kvaware", "kv_aware"), ("roundrobin", "round_robin"), ("session", "session")],
)
def test_the_spellings_of_hyperpod_are_understood(spelling: str, name: str) -> None:
    assert _decide({"strategy": spelling}).desired.models["smollm2"].strategy == name
    pools = _decide({"pools": {"decode": {"strategy": spelling}}}).desired.models["smollm2"].pools
    assert pools.decode.strategy == name


def test_a_pool_without_a_strategy_of_its_own_inherits() -> None:
    own = Desired(models={"smollm2": msgspec.structs.replace(model(), pools=msgspec.structs.replace(
        model().pools, decode=PoolState(replicas=2, strategy="session")))})  # fmt: skip
    decision = _decide({"pools": {"decode": {"strategy": None}}}, own)
    assert decision.desired == desired()
    begins = warmth("prefix_aware", "prefix_aware", FLEET)
    assert decision.effects == (SwitchStrategy("smollm2", Pool.DECODE, "session", "prefix_aware", begins),)
    assert _decide({"strategy": "round_robin"}, own).effects == (
        SwitchStrategy("smollm2", Pool.PREFILL, "prefix_aware", "round_robin"),
    )


def test_growing_and_shrinking_name_the_engines() -> None:
    assert _decide({"pools": {"decode": {"replicas": 4}}}).effects == (GrowPool("smollm2", Pool.DECODE, 2),)
    assert _decide({"pools": {"decode": {"replicas": 1}}}).effects == (ShrinkPool("smollm2", Pool.DECODE, 1, ("decode-1",)),)


def test_growing_takes_back_what_is_still_draining() -> None:
    fleet = (*FLEET, member("decode-2", State.DRAINING))
    effects = decide({"pools": {"decode": {"replicas": 4}}}, desired(), fleet, STRATEGIES).effects
    assert effects == (GrowPool("smollm2", Pool.DECODE, 2, ("decode-2",)),)
    assert effects[0].sentence == ("Stops draining and serves on: decode-2. To start: 1 more decode engine, used once ready.")


def test_a_pool_is_never_set_outside_its_bounds_but_both_may_change_at_once() -> None:
    bound = _decide({"pools": {"decode": {"bounds": {"min": 1, "max": 3}}}})
    assert bound.effects == (ChangeBounds("smollm2", Pool.DECODE, 1, 3),)
    assert bound.effects[0].sentence == "The decode pool may have 1 to 3 engines; a change beyond is refused."
    more = {"pools": {"decode": {"replicas": 4}}}
    assert _refusal(more, bound.desired) == (
        "models.smollm2.pools.decode.replicas",
        "4 is outside the pool's bounds: 1 to 3 are allowed",
    )
    both = {"pools": {"decode": {"replicas": 4, "bounds": {"max": 4}}}}
    assert _decide(both, bound.desired).effects == (
        ChangeBounds("smollm2", Pool.DECODE, 1, 4),
        GrowPool("smollm2", Pool.DECODE, 2),
    )


def test_a_pool_has_a_drain_time_of_its_own_until_it_is_taken_back() -> None:
    own = _decide({"pools": {"decode": {"drain_seconds": 20}}})
    assert [effect.sentence for effect in own.effects] == [
        "A leaving decode engine has 20 s for what it has in flight (until now control's own drain time), "
        "one that drains already, too."
    ]
    back = _decide({"pools": {"decode": {"drain_seconds": None}}}, own.desired)
    assert (back.desired, back.effects) == (desired(), (ChangeDrainTime("smollm2", Pool.DECODE, 20.0, None),))


def test_a_price_changes_nothing_but_reports() -> None:
    (effect,) = _decide({"pools": {"decode": {"gpu_hour_price": 2.5, "gpus_per_engine": 8}}}).effects
    assert effect == ChangePrice("smollm2", Pool.DECODE, (None, 1), (2.5, 8))
    assert effect.sentence == (
        "Reports take a decode engine for 8 GPUs at 2.5 an hour (until now 1 GPU at no known price). Nothing else changes."
    )
    assert _refusal({"pools": {"decode": {"gpu_hour_price": -1}}})[0] == "models.smollm2.pools.decode.gpu_hour_price"


def test_disaggregation_goes_off_together_with_its_engines() -> None:
    decision = _decide({"dpd": {"enabled": False}, "pools": {"prefill": {"replicas": 0}}})
    assert decision.effects == (
        SwitchDpd("smollm2", False, 512),
        ShrinkPool("smollm2", Pool.PREFILL, 1, ("prefill-0",)),
    )


def test_limits_are_told_in_words() -> None:
    (effect,) = _decide({"limits": {"in_flight": 64, "in_flight_per_engine": 16, "queue": 8, "queue_per_engine": 2}}).effects
    assert effect.sentence == (
        "Each router takes at once: 64 in flight and 16 in flight on each engine, 8 waiting, 2 for each engine "
        "(until now: no limit). Beyond that requests are refused with 429."
    )
    (lifted,) = decide({"limits": {"in_flight": None}}, _decide({"limits": {"in_flight": 3}}).desired, FLEET, STRATEGIES).effects
    assert lifted == ChangeLimits("smollm2", "3 in flight, none waiting", "no limit")


def test_the_ejection_of_stalled_engines_is_told_in_words() -> None:
    (effect,) = _decide({"eject_stalled": True}).effects
    assert effect == SwitchStalledEjection("smollm2", enabled=True)
    assert "never more than half a pool" in effect.sentence


def test_engines_whose_protocol_is_not_spoken_are_said_to_be_of_no_use() -> None:
    decision = _decide({"pools": {"prefill": {"protocol": "LMCacheConnectorV1"}}})
    assert decision.desired.models["smollm2"].pools.prefill.protocol == "lmcache"
    (effect,) = decision.effects
    assert effect == SwitchProtocol("smollm2", "nixl", "lmcache to nixl", "lmcache_unsupported")
    assert effect.sentence == (
        "No prompt is disaggregated: kvdeck does not hand KV over by lmcache to nixl. Long prompts go straight to a decode "
        "engine and are counted as lmcache_unsupported."
    )
    spoken = _decide({"pools": {"prefill": {"protocol": "multi"}, "decode": {"protocol": "multi"}}}).effects
    assert [effect.sentence for effect in spoken] == ["KV goes from prefill to decode engines by multi (until now nixl)."]


def test_every_effect_is_a_sentence() -> None:
    off = Desired(models={"smollm2": model(dpd=False)})
    effects = _decide(
        {"strategy": "session", "dpd": {"enabled": True, "routing_threshold": 0}, "pools": {"decode": {"replicas": 1}}}, off
    )
    assert [effect.sentence for effect in effects.effects] == [
        "From the next request on the prefill pool chooses by session (until now prefix_aware).",
        "From the next request on the decode pool chooses by session (until now prefix_aware).",
        "Disaggregation is on: every prompt is computed on a prefill engine first.",
        "Every prompt is computed on a prefill engine first (until now a prompt of at least 512 tokens).",
        "To drain and end: decode-1. No new requests; those in flight finish first.",
    ]
    assert _decide({"dpd": {"routing_threshold": 9}}, off).effects == (ChangeThreshold("smollm2", 512, 9, enabled=False),)


def test_how_often_others_decide_along_is_a_share() -> None:
    (effect,) = _decide({"shadow_share": 0.5}).effects
    assert effect == ChangeShadowShare("smollm2", 0.05, 0.5)
    assert effect.sentence == "The other strategies decide along on 0.5 of the requests, to be compared (until now 0.05)."
    with pytest.raises(RefusedError) as refused:
        _decide({"shadow_share": 1.5})
    assert refused.value.field == "models.smollm2.shadow_share"


def test_fallback_and_session_keys_are_sentences_too() -> None:
    decision = _decide({"fallback_strategy": "roundrobin", "session_keys": ["header:x-tenant", "body:user"]})
    assert [effect.sentence for effect in decision.effects] == [
        "Where kv_aware cannot tell what is cached, round_robin decides (until now prefix_aware).",
        "A request's session is the first of these that it has: header:x-tenant, body:user. Sessions may change engines once.",
    ]
    assert decision.diff[1] == Change(
        field="models.smollm2.session_keys",
        before="header:x-session-id, cookie:session_id, body:session_id, body:prompt_cache_key, body:user",
        after="header:x-tenant, body:user",
    )
    assert decision.desired.models["smollm2"].session_keys == ("header:x-tenant", "body:user")


def test_the_minimum_of_uncached_tokens_is_a_sentence_too() -> None:
    (effect,) = _decide({"dpd": {"min_uncached_tokens": 128}}).effects
    assert effect == ChangeMinUncached("smollm2", 0, 128, enabled=True)
    assert effect.sentence == (
        "A long prompt goes straight to a decode engine that holds all but fewer than 128 tokens of it "
        "(until now: what a decode engine holds does not decide the path)."
    )
    assert ChangeMinUncached("smollm2", 128, 0, enabled=False).sentence == (
        "What a decode engine holds does not decide the path "
        "(until now: a long prompt goes straight to a decode engine that holds all but fewer than 128 tokens of it). "
        "Nothing changes until disaggregation is on."
    )


def test_a_patch_that_says_what_is_so_already_has_no_diff() -> None:
    assert _decide({"strategy": "prefixaware"}) == Decision(desired(), (), ())
    assert _decide({}) == Decision(desired(), (), ())


@pytest.mark.parametrize(
    ("patch", "field", "message"),
    [
        ([], "", "the patch must be a JSON object"),
        ({"desired": {}}, "desired",
         "unknown field 'desired'; allowed: models, tiers, or strategy, fallback_strategy, session_keys, dpd, pools, limits, "
         "shadow_share, eject_stalled of the one model"),
        ({"models": {}, "dpd": {}}, "dpd", "'dpd' beside 'models': name the model it is for, under 'models'"),
        ({"models": 1}, "models", "'models' must be an object keyed by model"),
        ({"models": None}, "models", "'models' must be an object keyed by model"),
        ({"models": {"x": {}}}, "models.x", "unknown model 'x'; served: smollm2"),
        ({"models": {"smollm2": None}}, "models.smollm2", "a model cannot be removed by a patch"),
        ({"strategy": "fastest"}, "models.smollm2.strategy",
         "unknown strategy 'fastest'; known: kv_aware, prefix_aware, round_robin, session"),
        ({"pools": {"decode": {"strategy": ""}}}, "models.smollm2.pools.decode.strategy",
         "unknown strategy ''; known: kv_aware, prefix_aware, round_robin, session"),
        ({"pools": {"decode": {"protocol": "carrier_pigeon"}}}, "models.smollm2.pools.decode.protocol",
         "unknown P/D protocol 'carrier_pigeon'; known: lmcache, mooncake, moriio, multi, nixl, nixl_push, p2p"),
        ({"fallback_strategy": "kvaware"}, "models.smollm2.fallback_strategy",
         "kv_aware cannot stand in for itself: it is placement that is missing then"),
        ({"fallback_strategy": "best"}, "models.smollm2.fallback_strategy",
         "unknown strategy 'best'; known: kv_aware, prefix_aware, round_robin, session"),
        ({"session_keys": ["header:x-a", "query:b"]}, "models.smollm2.session_keys",
         "'query:b' is no session key: expected header:NAME, cookie:NAME or body:FIELD"),
        ({"strategy": 3}, "models.smollm2.strategy", "3 is not allowed: the name of a strategy"),
        ({"dpd": True}, "models.smollm2.dpd",
         "true is not allowed: an object with enabled, routing_threshold, min_uncached_tokens"),
        ({"dpd": {"threshold": 3}}, "models.smollm2.dpd.threshold",
         "unknown field 'threshold'; allowed in models.smollm2.dpd: enabled, routing_threshold, min_uncached_tokens"),
        ({"dpd": {"threshold": None}}, "models.smollm2.dpd.threshold",
         "unknown field 'threshold'; allowed in models.smollm2.dpd: enabled, routing_threshold, min_uncached_tokens"),
        ({"dpd": {"routing_threshold": -1}}, "models.smollm2.dpd.routing_threshold",
         "-1 is not allowed: a whole number from 0 to 10,000,000"),
        ({"dpd": {"routing_threshold": 2**70}}, "models.smollm2.dpd.routing_threshold",
         "1180591620717411303424 is not allowed: a whole number from 0 to 10,000,000"),
        ({"dpd": {"min_uncached_tokens": -1}}, "models.smollm2.dpd.min_uncached_tokens",
         "-1 is not allowed: a whole number from 0 to 10,000,000"),
        ({"dpd": {"min_uncached_tokens": 2**70}}, "models.smollm2.dpd.min_uncached_tokens",
         "1180591620717411303424 is not allowed: a whole number from 0 to 10,000,000"),
        ({"limits": {"queue": 5}}, "models.smollm2.limits.queue",
         "nothing ever waits without a limit on what is in flight: set limits.in_flight or limits.in_flight_per_engine as well"),
        ({"limits": {"in_flight": 0}}, "models.smollm2.limits.in_flight",
         "0 is not allowed: a whole number from 1 to 1,000,000, or null"),
        ({"limits": {"queue_seconds": 0}}, "models.smollm2.limits.queue_seconds",
         "0 is not allowed: a number, more than 0, 600 or less"),
        ({"dpd": {"enabled": "no"}}, "models.smollm2.dpd.enabled", '"no" is not allowed: true or false'),
        ({"pools": {"decode": {"replicas": True}}}, "models.smollm2.pools.decode.replicas",
         "true is not allowed: a whole number from 0 to 1,024"),
        ({"pools": {"decode": {"replicas": 1025}}}, "models.smollm2.pools.decode.replicas",
         "1025 is not allowed: a whole number from 0 to 1,024"),
        ({"pools": {"decode": {"replicas": 0}}}, "models.smollm2.pools.decode.replicas",
         "at least one decode engine must stay: without one nothing is served"),
        ({"pools": {"prefill": {"replicas": 0}}}, "models.smollm2.pools.prefill.replicas",
         "DPD needs a prefill engine: keep prefill.replicas at 1 or more, or set dpd.enabled to false in the same change"),
        ({"pools": {"decode": {"bounds": {"max": 1}}}}, "models.smollm2.pools.decode.replicas",
         "2 is outside the pool's bounds: 0 to 1 are allowed"),
        ({"pools": {"decode": {"bounds": {"min": 5, "max": 4}}}}, "models.smollm2.pools.decode.bounds.max",
         "4 is below bounds.min: 5 or more is allowed"),
        ({"pools": {"decode": {"drain_seconds": 0}}}, "models.smollm2.pools.decode.drain_seconds",
         "0 is not allowed: a number from 1 to 86,400, or null"),
        ({"pools": {"embed": {}}}, "models.smollm2.pools.embed",
         "unknown field 'embed'; allowed in models.smollm2.pools: prefill, decode"),
    ],
)  # fmt: skip
def test_what_makes_no_sense_is_refused_with_its_field(patch: object, field: str, message: str) -> None:
    assert _refusal(patch) == (field, message)


FIELDS = st.fixed_dictionaries(
    {},
    optional={
        "strategy": st.sampled_from([*STRATEGIES, "kvaware", "nonsense", None, 7]),
        "dpd": st.fixed_dictionaries(
            {}, optional={"enabled": st.booleans() | st.none(), "routing_threshold": st.integers(-2, 10_000_002)}
        ),
        "pools": st.dictionaries(
            st.sampled_from(["prefill", "decode", "other"]),
            st.fixed_dictionaries(
                {}, optional={"replicas": st.integers(-1, 66), "strategy": st.sampled_from([*STRATEGIES, None, "nonsense"])}
            ),
        ),
    },
)


def _outcome(patch: object, before: Desired) -> Decision | RefusedError:
    try:
        return decide(patch, before, FLEET, STRATEGIES)
    except RefusedError as refused:
        return refused


@given(FIELDS)
def test_a_change_is_whole_or_not_at_all(patch: object) -> None:
    before = desired()
    kept = msgspec.json.encode(before)
    outcome = _outcome(patch, before)
    if isinstance(outcome, RefusedError):
        assert outcome.field
        assert outcome.message
    else:
        assert msgspec.json.decode(msgspec.json.encode(outcome.desired), type=Desired) == outcome.desired
        assert decide(patch, outcome.desired, FLEET, STRATEGIES).diff == ()
        assert (outcome.diff == ()) == (outcome.desired == before)
    assert msgspec.json.encode(before) == kept


@given(FIELDS, FIELDS)
def test_fields_that_a_patch_does_not_name_stay(first: object, second: object) -> None:
    try:
        before = decide(first, desired(), FLEET, STRATEGIES).desired
        after = decide(second, before, FLEET, STRATEGIES)
    except RefusedError:
        return
    named = {f"models.smollm2.{field}" for field in _leaves(second)}
    assert {change.field for change in after.diff} <= named


def _leaves(value: object, path: str = "") -> set[str]:
    if not isinstance(value, dict):
        return {path}
    return {leaf for key, inner in value.items() for leaf in _leaves(inner, f"{path}.{key}" if path else key)}
