"""One release of skew between router and control, both ways: what is not known is told, what cannot be honoured is refused."""

from __future__ import annotations

from dataclasses import replace

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stack.control.link import EngineReport, RouterConfig, RouterReport
from stack.control.ports import Kept
from stack.control.skew import IGNORED_MAX, NotUnderstoodError, Received, configured, keeping, kept, known, received, reported
from stack.control.state import SCHEMA, Desired, ModelState
from tests.decisions import decision
from tests.stack.control.samples import desired, model

CONFIG = RouterConfig(version=8, generation=3, models=dict(desired().models), draining=("decode-1",))


def _json(config: RouterConfig, **more: object) -> bytes:
    return msgspec.json.encode(msgspec.to_builtins(config) | more)


def test_a_configuration_of_this_release_is_understood_whole() -> None:
    assert received(_json(CONFIG)) == Received(CONFIG)


def test_an_older_controls_configuration_lacks_fields_and_means_their_defaults() -> None:
    older = {"version": 8, "generation": 3, "models": {"m": {"strategy": "session"}}}
    assert received(msgspec.json.encode(older)) == Received(
        RouterConfig(version=8, generation=3, models={"m": ModelState(strategy="session")})
    )


def test_a_newer_controls_fields_are_left_out_wherever_they_stand_and_named() -> None:
    newer = msgspec.to_builtins(CONFIG.models["smollm2"])
    newer["pools"]["decode"]["colour"] = newer["pools"]["decode"]["bounds"]["step"] = newer["tint"] = {"a": [1]}
    assert received(_json(CONFIG, models={"smollm2": newer}, schema=SCHEMA + 1, weather=None)) == Received(
        msgspec.structs.replace(CONFIG, schema=SCHEMA + 1),
        (
            "weather",
            "models.smollm2.tint",
            "models.smollm2.pools.decode.colour",
            "models.smollm2.pools.decode.bounds.step",
        ),
    )


def test_a_parameter_that_this_releases_strategies_do_not_take_is_a_field_that_is_not_known() -> None:
    told = {"session": {"load_factor": 2.0, "mood": "calm"}, "clairvoyant": {"depth": 3}}
    newer = {"strategy": "session", "pools": {"decode": {"parameters": told}}}
    read = received(_json(CONFIG, models={"m": newer}))
    assert read.config.models["m"].pools.decode.parameters == {"session": {"load_factor": 2.0}}
    assert read.ignored == ("models.m.pools.decode.parameters.session.mood", "models.m.pools.decode.parameters.clairvoyant")
    assert keeping(kept(3, {"models": {"m": newer}}))["models"] == msgspec.to_builtins(read.config.models) | {
        "m": msgspec.to_builtins(read.config.models["m"]) | {"pools": _pools(read.config.models["m"], told)}
    }


def _pools(state: ModelState, told: object) -> object:
    pools = msgspec.to_builtins(state.pools)
    pools["decode"]["parameters"] = told
    return pools


def test_a_candidate_that_is_not_understood_whole_is_not_tried_and_the_rest_is_applied() -> None:
    trial = {"id": "e1", "share": 0.5, "candidate": msgspec.to_builtins(model(strategy="session"))}
    assert set(received(_json(CONFIG, experiments={"smollm2": trial})).config.experiments) == {"smollm2"}
    newer = trial | {"candidate": msgspec.to_builtins(model()) | {"tint": 1}}
    assert received(_json(CONFIG, experiments={"smollm2": newer})) == Received(CONFIG, ("experiments.smollm2.candidate.tint",))
    strange = trial | {"candidate": {"strategy": ["a", "b"]}}
    assert received(_json(CONFIG, experiments={"smollm2": strange})) == Received(CONFIG)


def test_of_very_many_unknown_fields_some_are_told() -> None:
    assert len(received(_json(CONFIG, **{f"x{number}": 1 for number in range(99)})).ignored) == IGNORED_MAX


@pytest.mark.parametrize(
    ("more", "why"),
    [
        ({"requires": SCHEMA + 1}, f"it takes a router of schema {SCHEMA + 1} or later, this one's is {SCHEMA}"),
        ({"models": {"m": {"strategy": ["a", "b"]}}}, "Expected `str`, got `array` - at `$.models[...].strategy`"),
    ],
)
def test_what_cannot_be_honoured_is_refused_under_its_own_number(more: dict[str, object], why: str) -> None:
    with pytest.raises(NotUnderstoodError) as refused:
        received(_json(CONFIG, **more))
    assert (refused.value.version, refused.value.generation, str(refused.value)) == (8, 3, why)


@pytest.mark.parametrize("body", [b"<html>", b"{}", b"[]", b'{"version": "x", "generation": 1}'])
def test_what_is_no_configuration_is_an_error_of_its_own(body: bytes) -> None:
    with pytest.raises(msgspec.DecodeError):
        received(body)


@given(st.dictionaries(st.text(max_size=8), st.none() | st.integers() | st.text(max_size=8), max_size=5))
def test_unknown_fields_never_change_what_is_known(more: dict[str, object]) -> None:
    mine = msgspec.to_builtins(model())
    unknown = {name: value for name, value in more.items() if name not in mine}
    document, ignored = known(mine | unknown, ModelState)
    assert (msgspec.convert(document, ModelState), sorted(ignored)) == (model(), sorted(unknown))


def _newer() -> dict[str, object]:
    models = {"smollm2": msgspec.to_builtins(model()) | {"tint": {"hue": 3}}}
    models["smollm2"]["pools"]["decode"]["colour"] = "blue"
    return {"schema": SCHEMA + 1, "models": models, "weather": "fine"}


def test_what_a_newer_release_kept_is_in_force_as_far_as_known_and_the_rest_is_carried_along_for_it() -> None:
    read = kept(7, _newer())
    assert read == Kept(
        7,
        desired(),
        schema=SCHEMA + 1,
        beyond={"weather": "fine", "models": {"smollm2": {"tint": {"hue": 3}, "pools": {"decode": {"colour": "blue"}}}}},
        ignored=("weather", "models.smollm2.tint", "models.smollm2.pools.decode.colour"),
    )
    changed = replace(read, generation=8, desired=desired(decode=3))
    again = keeping(changed)
    assert again["weather"] == "fine"
    assert kept(8, again) == changed


def test_what_an_older_release_kept_lacks_fields_and_means_their_defaults() -> None:
    assert kept(7, {"models": {"m": {"strategy": "session"}}}) == Kept(7, Desired(models={"m": ModelState(strategy="session")}))
    assert keeping(Kept(7, desired())) == {"schema": SCHEMA} | msgspec.to_builtins(desired())


def test_a_configuration_file_of_a_newer_release_is_taken_as_far_as_known_and_one_of_this_release_has_no_unknown_fields() -> None:
    newer = {"schema": SCHEMA + 1, "desired": {"models": {"m": {"strategy": "session", "tint": 1}}}}
    assert configured(newer) == (Desired(models={"m": ModelState(strategy="session")}), ("models.m.tint",))
    with pytest.raises(msgspec.ValidationError, match="unknown field `tint`"):
        configured(newer | {"schema": SCHEMA})


def test_an_older_routers_report_is_taken() -> None:
    older = {"id": "r", "version": 1, "generation": 1, "engines": [{"name": "d", "health": "ready", "in_flight": 2}]}
    assert reported(msgspec.json.encode(older)) == RouterReport(
        id="r", version=1, generation=1, engines=(EngineReport(name="d", health="ready", in_flight=2),)
    )


def test_of_a_newer_routers_report_the_acknowledgement_counts_and_decisions_not_understood_keep_their_places() -> None:
    good = decision(request_id="a")
    newer = msgspec.to_builtins(RouterReport(id="r", version=9, generation=4, decisions=(good,), dropped=2, schema=SCHEMA + 1))
    newer["decisions"] += ({"request": {"id": "b"}}, newer["decisions"][0] | {"mood": "fine"})
    newer["mood"] = "fine"
    assert reported(msgspec.json.encode(newer)) == RouterReport(
        id="r", version=9, generation=4, decisions=(good, None, good), dropped=2, schema=SCHEMA + 1
    )


@pytest.mark.parametrize("body", [b"{}", b"[]", b"x", b'{"decisions": []}', b'{"id": 1, "decisions": [{}]}'])
def test_what_is_no_report_is_an_error(body: bytes) -> None:
    with pytest.raises(msgspec.DecodeError):
        reported(body)
