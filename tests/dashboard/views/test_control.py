"""The Control page against the real control."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import httpx
import pytest
from streamlit.testing.v1 import AppTest

from dashboard.fleet import table
from stack.control.access import Role
from stack.control.mode import Mode, Stance
from stack.control.state import Desired
from tests.dashboard.conftest import TOOLBAR, Opener
from tests.dashboard.fakes import EmulatedFleet, Steered
from tests.dashboard.reading import read
from tests.grants import grant
from tests.stack.api.deck import running
from tests.stack.control import samples
from tests.stack.control.samples import desired


def state(control: Steered) -> dict[str, Any]:
    answer: dict[str, Any] = httpx.get(f"{control.url}/v1/state").json()
    return answer


def model(control: Steered) -> dict[str, Any]:
    found: dict[str, Any] = state(control)["desired"]["models"]["smollm2"]
    return found


def labelled(widgets: Any, label: str) -> Any:
    return next(widget for widget in widgets if widget.label == label)


def press(page: AppTest, label: str) -> AppTest:
    labelled(page.button, label).click()
    return page.run()


def choose(page: AppTest, strategy: str) -> AppTest:
    labelled(page.selectbox, "Routing strategy").select(strategy)
    return page.run()


def resize(page: AppTest, pool: str, replicas: int) -> AppTest:
    labelled(page.number_input, f"{pool} engines").set_value(replicas)
    return page.run()


def buttons(page: AppTest) -> list[str]:
    return [button.label for button in page.button]


def said(elements: Any) -> list[str]:
    return [element.value for element in elements]


def test_the_form_shows_what_is_in_force(opened: Opener, steered: Steered) -> None:
    page = opened("control")
    chosen = {widget.label: widget.value for widget in page.selectbox if widget.key not in TOOLBAR}
    assert chosen == {
        "Routing strategy": "prefix_aware",
        "When kv_aware has no placement": "prefix_aware",
        "Prefill strategy": "as above",
        "Decode strategy": "as above",
        "Store's eviction policy": "not set",
        "Generation": None,
    }
    numbers = {widget.label: widget.value for widget in page.number_input}
    assert numbers["Routing threshold (tokens)"] == 512
    assert (numbers["Prefill engines"], numbers["Decode engines"]) == (1, 2)
    assert numbers["Waiting at most (s)"] == 30.0
    assert labelled(page.text_input, "In flight, all engines").value == ""
    assert (numbers["Decode: at least (engines)"], numbers["Decode: GPUs an engine"]) == (0, 1)
    assert labelled(page.text_input, "Decode: P/D protocol").value == ""
    assert buttons(page) == ["Preview"]
    assert said(page.success) == ["Every live router applies generation 1: router-0."]


def test_a_change_is_previewed_then_applied_with_its_comment(opened: Opener, steered: Steered) -> None:
    page = press(choose(opened("control"), "kv_aware"), "Preview")
    assert page.dataframe[0].value.to_dict("records") == [
        {"field": "models.smollm2.strategy", "before": "prefix_aware", "after": "kv_aware"}
    ]
    assert state(steered)["generation"] == 1
    labelled(page.text_input, "Why (kept in the history)").set_value("try KV events")
    page = press(page, "Apply")
    assert (state(steered)["generation"], model(steered)["strategy"]) == (2, "kv_aware")
    assert "Generation 2 is in force." in said(page.success)
    assert "*Generations* on the Control page say what it comes to, once requests have gone by it, and have the way back." in said(
        page.caption
    )
    assert buttons(page) == ["Preview"]
    record = httpx.get(f"{steered.url}/v1/audit").json()["records"][0]
    assert (record["actor"], record["comment"], record["generation"]) == ("dashboard", "try KV events", 2)


def test_the_preview_goes_when_the_form_changes(opened: Opener, steered: Steered) -> None:
    page = press(choose(opened("control"), "kv_aware"), "Preview")
    assert "Apply" in buttons(page)
    page = choose(page, "session")
    assert "Apply" not in buttons(page)
    assert said(page.info) == ["The form or the state has changed since the preview: preview it again."]


def test_only_what_was_edited_is_sent(opened: Opener, steered: Steered) -> None:
    page = press(press(choose(opened("control"), "kv_aware"), "Preview"), "Apply")
    record = httpx.get(f"{steered.url}/v1/audit").json()["records"][0]
    assert record["request"] == '{"models":{"smollm2":{"strategy":"kv_aware"}}}'
    assert not page.exception


def test_a_preview_without_edits_says_so(opened: Opener, steered: Steered) -> None:
    page = press(opened("control"), "Preview")
    assert said(page.info) == ["Nothing would change: that is what is in force."]


def test_what_takes_something_away_is_said_before_it_is_applied(opened: Opener, steered: Steered) -> None:
    page = resize(opened("control"), "Decode", 1)
    labelled(page.toggle, "Disaggregate (DPD)").set_value(False)
    page = press(page.run(), "Preview")
    assert said(page.warning) == [
        "**This takes something away:**\n- Every prompt goes straight to a decode engine: disaggregation is off.\n"
        "- To drain and end: decode-1. No new requests; those in flight finish first."
    ]
    page = press(page, "Apply")
    assert said(page.warning)[1:] == ["Type `smollm2` first: it is what this change takes something away from."]
    assert state(steered)["generation"] == 1
    labelled(page.text_input, "Type `smollm2` to confirm").input("smollm2")
    press(page.run(), "Apply")
    assert (state(steered)["generation"], model(steered)["dpd"]["enabled"]) == (2, False)


def test_a_pool_on_its_way_is_resized_again_only_by_force_that_is_typed(opened: Opener, steered: Steered) -> None:
    page = press(press(resize(opened("control"), "Decode", 3), "Preview"), "Apply")
    page = press(resize(page, "Decode", 4), "Preview")
    assert "the decode pool has been on its way from 2 to 3 engines" in said(page.error)[0]
    assert "Apply" not in buttons(page)
    page = press(page, "Preview it forced")
    assert said(page.warning) == ["Type `force` first."]
    labelled(page.text_input, "Type `force` to change the size all the same; it is kept in the history").input("force")
    press(press(page.run(), "Preview it forced"), "Apply")
    record = httpx.get(f"{steered.url}/v1/audit").json()["records"][0]
    assert (record["forced"], model(steered)["pools"]["decode"]["replicas"]) == (True, 4)


def test_what_is_seldom_set_is_set_in_its_own_unit(opened: Opener, steered: Steered) -> None:
    page = opened("control")
    labelled(page.text_input, "Decode, prefix_aware: patience_tokens").set_value("512")
    labelled(page.text_input, "In flight, each engine").set_value("8")
    labelled(page.toggle, "Eject stalled engines").set_value(True)
    press(press(page.run(), "Preview"), "Apply")
    now = model(steered)
    assert now["pools"]["decode"]["parameters"] == {"prefix_aware": {"patience_tokens": 512.0}}
    assert (now["limits"]["in_flight_per_engine"], now["eject_stalled"]) == (8, True)


def test_what_is_empty_by_itself_can_be_emptied_again(opened: Opener, steered: Steered) -> None:
    held = {"prefix_aware": {"patience_tokens": 512.0}}
    steered.patch({"pools": {"decode": {"parameters": held, "gpu_hour_price": 2.5}}, "limits": {"in_flight": 8}})
    page = opened("control")
    fields = ("Decode, prefix_aware: patience_tokens", "In flight, all engines", "Decode: price of a GPU hour")
    filled = [labelled(page.text_input, label) for label in fields]
    assert [field.value for field in filled] == ["512", "8", "2.5"]
    for field in filled:
        field.set_value("")
    press(press(page.run(), "Preview"), "Apply")
    now = model(steered)
    assert now["pools"]["decode"]["parameters"] in ({}, {"prefix_aware": {}})
    assert (now["limits"]["in_flight"], now["pools"]["decode"]["gpu_hour_price"]) == (None, None)


@pytest.mark.parametrize(
    ("label", "typed", "field", "why"),
    [
        ("In flight, all engines", "0", "in_flight", "0 is not allowed: a whole number from 1 to 1,000,000, or null"),
        ("In flight, all engines", "many", "in_flight", '"many" is not allowed: a whole number from 1 to 1,000,000, or null'),
        ("Waiting at most (s)", 0.0, "queue_seconds", "0.0 is not allowed: a number, more than 0, 600 or less"),
    ],
)
def test_what_cannot_be_is_said_where_it_is_typed(
    opened: Opener, steered: Steered, label: str, typed: Any, field: str, why: str
) -> None:
    page = choose(opened("control"), "session")
    labelled([*page.text_input, *page.number_input], label).set_value(typed)
    page = page.run()
    assert said(page.error) == [f"This cannot be previewed (`models.smollm2.limits.{field}`): {why}."]
    assert not page.exception
    assert "Preview" not in buttons(page)
    labelled([*page.text_input, *page.number_input], label).set_value("8" if isinstance(typed, str) else 8.0)
    press(press(page.run(), "Preview"), "Apply")
    assert model(steered)["strategy"] == "session"


def test_a_link_may_ask_for_more_engines_than_there_may_be_and_control_tells(opened: Opener, steered: Steered) -> None:
    steered.patch({"pools": {"decode": {"bounds": {"max": 4}}}})
    page = press(opened("control", {"set": "pools.decode.replicas=20"}), "Preview")
    assert labelled(page.number_input, "Decode engines").value == 20
    assert "4" in said(page.error)[0]
    assert not page.exception


def test_a_link_may_ask_for_a_fallback_that_cannot_be_and_control_tells(opened: Opener, steered: Steered) -> None:
    page = opened("control", {"set": "fallback_strategy=kv_aware"})
    assert not page.exception
    assert labelled(page.selectbox, "When kv_aware has no placement").value == "kv_aware"
    page = press(page, "Preview")
    assert "kv_aware cannot stand in for itself" in said(page.error)[0].replace("\\", "")


def test_wherever_it_is_drawn_a_browser_is_told_what_a_field_is_filled_with(opened: Opener, steered: Steered) -> None:
    """The first drawing may never come to it: then it starts at what the second one says, and sends that with the next edit."""
    page = opened("control").run()
    assert labelled(page.number_input, "Decode engines").proto.default == 2
    assert [field.label for field in (*page.number_input, *page.toggle) if field.proto.default != field.value] == []
    chosen = {field.label: field.options[field.proto.default] for field in page.selectbox if field.proto.HasField("default")}
    assert chosen["Routing strategy"] == "prefix_aware"
    assert chosen["Store's eviction policy"] == "not set"


def test_a_refusal_gives_field_and_reason(opened: Opener, steered: Steered) -> None:
    page = press(resize(opened("control"), "Decode", 0), "Preview")
    assert said(page.error) == [
        "Refused (`models.smollm2.pools.decode.replicas`): at least one decode engine must stay: without one nothing is served"
    ]
    assert "Apply" not in buttons(page)


def test_somebody_elses_change_is_told_and_the_edits_can_be_kept(opened: Opener, steered: Steered) -> None:
    page = choose(opened("control"), "kv_aware")
    steered.patch({"dpd": {"routing_threshold": 1024}})
    page = press(page, "Preview")
    assert said(page.warning) == [
        "Somebody changed the state: generation 2 is in force, this form began at 1. "
        "Since then: smollm2.dpd.routing_threshold: 512 → 1024."
    ]
    assert buttons(page) == ["Keep my edits, on generation 2", "Discard my edits"]
    page = press(page, "Keep my edits, on generation 2")
    assert (labelled(page.selectbox, "Routing strategy").value, page.number_input[0].value) == ("kv_aware", 1024)
    press(press(page, "Preview"), "Apply")
    assert (model(steered)["strategy"], model(steered)["dpd"]["routing_threshold"]) == ("kv_aware", 1024)


def test_what_the_form_does_not_show_stays_as_it_is(opened: Opener, steered: Steered) -> None:
    steered.patch({"dpd": {"min_uncached_tokens": 64}})
    press(press(choose(opened("control"), "kv_aware"), "Preview"), "Apply")
    assert (model(steered)["strategy"], model(steered)["dpd"]["min_uncached_tokens"]) == ("kv_aware", 64)


def test_the_edits_can_be_given_up_for_somebody_elses(opened: Opener, steered: Steered) -> None:
    page = choose(opened("control"), "kv_aware")
    steered.patch({"strategy": "session"})
    page = press(page.run(), "Discard my edits")
    assert labelled(page.selectbox, "Routing strategy").value == "session"
    assert buttons(page) == ["Preview"]


def test_a_form_without_edits_follows_the_state(opened: Opener, steered: Steered) -> None:
    page = opened("control")
    steered.patch({"strategy": "session"})
    page = page.run()
    assert labelled(page.selectbox, "Routing strategy").value == "session"
    assert not page.warning


def test_edits_are_reset_when_asked(opened: Opener, steered: Steered) -> None:
    page = press(choose(opened("control"), "kv_aware"), "Reset")
    assert labelled(page.selectbox, "Routing strategy").value == "prefix_aware"


def test_a_growing_pool_is_shown_until_it_is_ready(opened: Opener, steered: Steered) -> None:
    page = press(press(resize(opened("control"), "Decode", 3), "Preview"), "Apply")
    steered.settle()
    page = page.run()
    moving = page.dataframe[0].value
    assert moving[["engine", "state", "health"]].to_dict("records") == [
        {"engine": "decode-2", "state": "joining", "health": "unknown"}
    ]
    assert list(page.dataframe[0].proto.column_order) == list(table.TOLD_BY_CONTROL)
    assert any("2 of 3 ready; decode-2 is joining, for " in caption for caption in said(page.caption))
    assert "3 of 4 engines are ready." in said(page.caption)
    steered.ready("decode-2")
    page = page.run()
    assert "**Decode** :green-badge[:material/check: 3 of 3 ready]" in said(page.markdown)


def test_control_being_away_is_said_once_and_is_no_stack_trace(opened: Opener) -> None:
    page = opened("control")
    assert len(page.error) == 1
    assert page.error[0].value.startswith("Control does not answer at http://127.0.0.1:9")
    assert not page.exception


def test_edits_survive_that_control_goes_away(opened: Opener, steered: Steered, environment: pytest.MonkeyPatch) -> None:
    page = choose(opened("control"), "kv_aware")
    client = page.session_state["control"]
    steered.stop()
    page = page.run()
    assert page.session_state["control"] is client
    assert len(page.error) == 1
    assert labelled(page.selectbox, "Routing strategy").value == "kv_aware"
    assert buttons(page) == []


def test_a_link_says_which_model_is_steered_and_which_panels_are_open(
    opened: Opener, environment: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    models = {"smollm2": samples.model(), "other": samples.model(strategy="session")}
    control = Steered(tmp_path, running("prefill-0", "decode-0", "decode-1"), Desired(models=models))
    environment.setenv("KVDECK_CONTROL_URL", control.url)
    try:
        panels = {"control-open-history": "true", "control-open-form-limits": "true"}
        page = opened("control", {"control-model": "smollm2", **panels})
        assert labelled(page.selectbox, "Routing strategy").value == "prefix_aware"
        shown = {panel.label for panel in page.expander if panel.proto.expanded} - {"Field by field: desired, applied, observed"}
        assert shown == {"Limits", "History: who changed what, and why"}
        page.selectbox(key="control-model").select("other").run()
        assert labelled(page.selectbox, "Routing strategy").value == "session"
        assert {panel.label for panel in page.expander if panel.proto.expanded} >= shown
    finally:
        control.stop()


def test_an_earlier_generation_is_previewed_then_had_again(opened: Opener, steered: Steered) -> None:
    steered.patch({"strategy": "session"})
    steered.patch({"dpd": {"routing_threshold": 64}, "strategy": "kv_aware"})
    steered.patch({"dpd": {"enabled": False}})
    page = opened("control")
    assert "Preview the way back" not in buttons(page)
    way = labelled(page.selectbox, "Generation")
    assert [option.split(" · ")[0] for option in way.options] == ["4", "3", "2"]
    assert way.options[2].endswith(" · anonymous · smollm2.strategy: prefix_aware → session")
    page = press(way.select(2).run(), "Preview the way back")
    changes = [frame.value for frame in page.dataframe if list(frame.value) == ["field", "before", "after"]][-1]
    assert changes["field"].tolist() == [
        "models.smollm2.dpd.enabled",
        "models.smollm2.dpd.routing_threshold",
        "models.smollm2.strategy",
    ]
    labelled(page.text_input, "Why (kept in the history)").set_value("worse")
    page = press(page, "Apply")
    assert (state(steered)["generation"], model(steered)["strategy"]) == (5, "session")
    record = httpx.get(f"{steered.url}/v1/audit").json()["records"][0]
    assert (record["rolled_back_to"], record["comment"]) == (2, "worse")


def test_where_no_changes_are_taken_they_are_previewed_and_no_more(
    opened: Opener, environment: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    fleet = running("prefill-0", "decode-0", "decode-1")
    control = Steered(tmp_path, fleet, desired(), stance=Stance(Mode.DECLARATIVE, "/etc/fleet.yaml"))
    try:
        environment.setenv("KVDECK_CONTROL_URL", control.url)
        page = opened("control")
        assert said(page.info) == ["What is desired is in `/etc/fleet.yaml`, and changed there. Previews work here."]
        press(choose(page, "session"), "Preview")
        assert labelled(page.button, "Apply").disabled
        assert model(control)["strategy"] == "prefix_aware"
    finally:
        control.stop()


def test_where_a_change_must_say_why_the_page_asks_for_it(opened: Opener, environment: pytest.MonkeyPatch, tmp_path: Path) -> None:
    control = Steered(tmp_path, running("prefill-0", "decode-0", "decode-1"), desired(), stance=Stance(comment_required=True))
    try:
        environment.setenv("KVDECK_CONTROL_URL", control.url)
        page = press(press(choose(opened("control"), "session"), "Preview"), "Apply")
        assert said(page.warning) == ["Say why: control takes no change without."]
        assert model(control)["strategy"] == "prefix_aware"
        labelled(page.text_input, "Why (required, kept in the history)").input("quiet hours")
        press(page, "Apply")
        assert model(control)["strategy"] == "session"
    finally:
        control.stop()


def test_a_wrong_token_is_said(opened: Opener, environment: pytest.MonkeyPatch, tmp_path: Path) -> None:
    fleet = EmulatedFleet(running("prefill-0", "decode-0", "decode-1").engines)
    control = Steered(tmp_path / "control", fleet, desired(), "right")
    (tmp_path / "token").write_text("wrong")
    environment.setenv("KVDECK_CONTROL_URL", control.url)
    environment.setenv("KVDECK_CONTROL_TOKEN_FILE", str(tmp_path / "token"))
    try:
        page = opened("control")
    finally:
        control.stop()
    assert len(page.error) == 1
    assert page.error[0].value.startswith("Control refused the token")


def test_an_unreadable_token_file_is_said(opened: Opener, environment: pytest.MonkeyPatch, tmp_path: Path) -> None:
    environment.setenv("KVDECK_CONTROL_TOKEN_FILE", str(tmp_path / "none"))
    page = opened("control")
    assert len(page.error) == 1
    assert "KVDECK_CONTROL_TOKEN_FILE" in page.error[0].value
    assert not page.exception


def test_what_a_change_came_to_is_told_when_it_is_asked_for(opened: Opener, steered: Steered) -> None:
    page = press(press(choose(opened("control"), "kv_aware"), "Preview"), "Apply")
    shown = len(page.dataframe)
    page = labelled(page.selectbox, "Generation").select(2).run()
    assert "**Generation 2** by dashboard: nobody said why" in said(page.markdown)
    told = next(frame.value for frame in page.dataframe if "verdict" in frame.value)
    assert told["what"].tolist()[0] == "TTFT p50"
    assert told["before"].tolist()[0] == "too few samples: 0 of at least 6"
    assert len(page.dataframe) > shown
    assert any("no gpu_hour_price is configured" in caption for caption in said(page.caption))
    assert not page.exception


def test_an_experiment_that_runs_is_told_and_that_a_change_ends_it(opened: Opener, steered: Steered) -> None:
    proposal = {"candidate": {"strategy": "session"}, "samples": 1_000}
    begun = httpx.post(f"{steered.url}/v1/experiments", json=proposal, headers={"If-Match": "1"}).json()
    name = begun["experiment"]["id"]
    page = opened("control")
    assert said(page.info) == [
        f"A share of the sessions of `smollm2` tries a change. *Experiments* below tell how {name} goes; "
        "any change of the model ends it."
    ]
    page = press(choose(page, "kv_aware"), "Preview")
    assert f"Experiment {name} ends" in " ".join(said(page.markdown))


def test_an_experiment_begins_with_what_the_form_says_and_is_stopped(opened: Opener, steered: Steered) -> None:
    page = choose(opened("control"), "kv_aware")
    assert "Begin" not in buttons(page)
    page = press(page, "Preview the experiment")
    assert any("20% of smollm2's sessions try it" in line for line in said(page.markdown))
    page = press(page, "Begin")
    (name,) = state(steered)["experiments"].values()
    assert labelled(page.selectbox, "Experiment").value == name
    arms = next(frame.value for frame in page.dataframe if "arm" in frame.value)
    assert arms["arm"].tolist() == ["as it is (80 %)", "candidate (20 %)"]
    found = page.dataframe[[one.value.columns[0] for one in page.dataframe].index("measure")].value
    assert found["bounds"].tolist() == ["unknown"] * len(found)
    page = press(page, "Stop it: all sessions as they were")
    assert state(steered)["experiments"] == {}
    assert not page.exception


def test_a_link_fills_the_form_and_changes_nothing(steered: Steered, environment: pytest.MonkeyPatch) -> None:
    page = AppTest.from_function(_control, default_timeout=60)
    page.query_params["set"] = ["dpd.routing_threshold=2048", "strategy=session"]
    page.run()
    page.session_state["control"].close()
    assert labelled(page.selectbox, "Routing strategy").value == "session"
    assert labelled(page.number_input, "Routing threshold (tokens)").value == 2048
    assert "set" not in page.query_params
    assert state(steered)["generation"] == 1


def test_a_link_that_makes_no_sense_is_said(steered: Steered, environment: pytest.MonkeyPatch) -> None:
    page = AppTest.from_function(_control, default_timeout=60)
    page.query_params["set"] = ["dpd.routing_treshold=2048"]
    page.run()
    page.session_state["control"].close()
    assert read(said(page.error)[0]).startswith(
        "The link sets what cannot be set: Object contains unknown field `routing_treshold`"
    )


@pytest.mark.parametrize("stance", [Stance(), Stance(Mode.OBSERVE)], ids=lambda stance: stance.mode.value)
def test_a_viewer_is_told_why_there_is_no_preview(
    opened: Opener, environment: pytest.MonkeyPatch, tmp_path: Path, stance: Stance
) -> None:
    fleet = EmulatedFleet(running("prefill-0", "decode-0", "decode-1").engines)
    bob = (grant("bob", Role.VIEWER),)
    control = Steered(tmp_path / "control", fleet, desired(), "root", stance, others=bob)
    (tmp_path / "token").write_text("bob")
    environment.setenv("KVDECK_CONTROL_URL", control.url)
    environment.setenv("KVDECK_CONTROL_TOKEN_FILE", str(tmp_path / "token"))
    try:
        page = opened("control")
    finally:
        control.stop()
    assert said(page.info) == ["bob is a viewer and looks only: an operator may change what is in force here."]
    assert labelled(page.selectbox, "Routing strategy").disabled
    assert buttons(page) == []
    assert not page.error
    assert not page.exception


def test_a_control_of_an_older_release_is_said_not_to_tell_roles_and_takes_changes(opened: Opener, steered: Steered) -> None:
    steered.age()
    page = opened("control")
    assert said(page.info) == [
        "This control is of an older release and does not tell what your token may: previews are open to you, "
        "and whether you may change what is in force here it says when it is asked."
    ]
    page = press(press(choose(page, "session"), "Preview"), "Apply")
    assert model(steered)["strategy"] == "session"
    assert not page.error
    assert not page.exception


def test_a_control_of_an_older_release_is_no_stack_trace_on_any_page(opened: Opener, steered: Steered) -> None:
    steered.age()
    for view in ("overview", "dpd", "engines", "alerts"):
        page = opened(view)
        assert not page.exception
        assert not [text for text in said(page.error) if "Refused" in text]


def _control() -> None:
    from dashboard.views import control

    control.page()
