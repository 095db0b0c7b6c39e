from __future__ import annotations

import msgspec
import pytest

from stack.control.decide import Decision, decide, decide_whole
from stack.control.diff import Change
from stack.control.drained import DrainEngines, ForgetDrained
from stack.control.refusal import RefusedError
from stack.control.state import SCHEMA, Desired, ModelState
from stack.model.tier import Pool
from tests.stack.control.samples import FLEET, STRATEGIES, desired, model

ALL = f"[] is not allowed: an object with {', '.join(ModelState.__struct_fields__)}"

ANEW = "; which models are served is settled when control starts: start it anew to change that"


def _decide(document: object, before: Desired | None = None) -> Decision:
    return decide_whole(document, before or desired(), FLEET, STRATEGIES)


def test_the_document_takes_the_place_of_what_was_desired() -> None:
    now = Desired(models={"smollm2": model(strategy="session", decode=3)})
    decision = _decide(msgspec.to_builtins(desired()), now)
    assert decision.desired == desired()
    assert decision.diff == (
        Change(field="models.smollm2.pools.decode.replicas", before=3, after=2),
        Change(field="models.smollm2.strategy", before="session", after="prefix_aware"),
    )


def test_it_may_say_which_schema_it_is_of() -> None:
    assert _decide({"schema": SCHEMA} | msgspec.to_builtins(desired())).diff == ()


def test_its_effects_are_those_of_the_patch_that_would_do_the_same() -> None:
    patch = {"pools": {"decode": {"replicas": 1}}, "dpd": {"routing_threshold": 64}}
    patched = decide(patch, desired(), FLEET, STRATEGIES)
    assert _decide(msgspec.to_builtins(patched.desired)) == patched


def test_names_of_long_ago_that_no_engine_has_any_more_are_left_out_and_told() -> None:
    drained = {"drained": ["decode-0", "decode-4", "decode-5"]}
    document = {"models": {"smollm2": {"pools": {"prefill": {"replicas": 1}, "decode": {"replicas": 2} | drained}}}}
    with pytest.raises(RefusedError, match="no decode engine 'decode-4'; there are: decode-0, decode-1"):
        _decide(document)
    decision = decide_whole(document, desired(), FLEET, STRATEGIES, past=True)
    assert decision.desired.models["smollm2"].pools.decode.drained == ("decode-0",)
    forgotten = ForgetDrained("smollm2", Pool.DECODE, ("decode-4", "decode-5"))
    assert [effect for effect in decision.effects if effect.kind in ("drain_engines", "forget_drained")] == [
        forgotten,
        DrainEngines("smollm2", Pool.DECODE, ("decode-0",)),
    ]
    assert forgotten.sentence == "Out of rotation then, and left out, for there is no such decode engine now: decode-4, decode-5."


def test_a_name_that_no_engine_has_stays_while_it_is_in_force() -> None:
    document = msgspec.to_builtins(desired())
    document["models"]["smollm2"]["pools"]["decode"]["drained"] = ["decode-4"]
    before = msgspec.convert(document, Desired)
    assert decide_whole(document, before, FLEET, STRATEGIES, past=True) == Decision(before, (), ())


def test_what_it_leaves_out_becomes_the_default() -> None:
    decision = _decide({"models": {"smollm2": {"pools": {"prefill": {"replicas": 1}}}}})
    assert decision.desired.models["smollm2"].dpd.routing_threshold == 4096


@pytest.mark.parametrize(
    ("document", "field", "message"),
    [
        ([], "", "the document must be an object with models"),
        ({}, "models", "'models' must be an object keyed by model"),
        ({"models": []}, "models", "'models' must be an object keyed by model"),
        ({"models": {}, "caches": {}}, "caches", "unknown field 'caches'; allowed: schema, models, tiers"),
        ({"models": {}, "schema": 99}, "schema", f"99 is no schema that this release knows: 0 to {SCHEMA} are allowed"),
        ({"models": {}, "schema": True}, "schema", f"True is no schema that this release knows: 0 to {SCHEMA} are allowed"),
        ({"models": {}}, "models", "it is for the models (none); served are smollm2" + ANEW),
        ({"models": {"qwen": {}, "smollm2": {}}}, "models", "it is for the models qwen, smollm2; served are smollm2" + ANEW),
        (
            {"models": {"smollm2": {"dpd": {"treshold": 1}}}},
            "models.smollm2.dpd.treshold",
            "unknown field 'treshold'; allowed in models.smollm2.dpd: enabled, routing_threshold, min_uncached_tokens",
        ),
        ({"models": {"smollm2": []}}, "models.smollm2", ALL),
        (
            {"models": {"smollm2": {"dpd": {"enabled": False}, "strategy": "fastest"}}},
            "models.smollm2.strategy",
            "unknown strategy 'fastest'; known: kv_aware, prefix_aware, round_robin, session",
        ),
    ],
)
def test_a_document_that_cannot_be_is_refused_with_its_field(document: object, field: str, message: str) -> None:
    with pytest.raises(RefusedError) as refused:
        _decide(document)
    assert (refused.value.field, refused.value.message) == (field, message)
