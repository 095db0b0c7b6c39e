"""What a page looks at, picked in its toolbar."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from stack.metrics import fleet_queries
from tests.dashboard.fakes import Steered, prometheus
from tests.dashboard.reading import draws, read


def _page() -> None:
    import streamlit as st

    from dashboard.scope import toolbar

    scope = toolbar("A page")
    st.text(f"{scope.length} {scope.refresh} {dict(scope.model)} {dict(scope.fleet)} {scope.window}")


def _opened(**query: str) -> AppTest:
    page = AppTest.from_function(_page, default_timeout=60)
    for name, value in query.items():
        page.query_params[name] = value
    page.run()
    assert not page.exception
    if "control" in page.session_state:
        page.session_state["control"].close()
        del page.session_state["control"]
    return page


def test_a_quarter_of_an_hour_of_everything_is_what_is_looked_at_first(environment: pytest.MonkeyPatch) -> None:
    assert [text.value for text in _opened().text] == ["0:15:00 5 {} {} 60s"]


def test_a_link_says_what_is_looked_at_though_nobody_tells_of_it(environment: pytest.MonkeyPatch) -> None:
    page = _opened(range="1d", refresh="off", model="m", cluster="eu")
    assert [text.value for text in page.text] == [
        "1 day, 0:00:00 None {<Label.MODEL_NAME: 'model_name'>: 'm', <Label.CLUSTER: 'cluster'>: 'eu'} "
        "{<Label.CLUSTER: 'cluster'>: 'eu'} 720s"
    ]


def test_what_a_link_within_the_dashboard_chooses_takes_the_place_of_what_was_chosen(environment: pytest.MonkeyPatch) -> None:
    page = _opened(**{"range": "1d", "to-model": "other"})
    assert page.text[0].value.startswith("1 day, 0:00:00 5 {<Label.MODEL_NAME: 'model_name'>: 'other'}")
    assert "to-model" not in page.query_params


def test_the_picker_says_what_a_link_picks_before_anybody_touched_it(environment: pytest.MonkeyPatch) -> None:
    _, picker = _opened(model="m", cluster="eu").get("popover")
    assert picker.proto.popover.label == "m, eu"


def test_a_link_that_picks_markup_draws_no_image(environment: pytest.MonkeyPatch) -> None:
    _, picker = _opened(**{"to-model": "![x](http://evil)"}).get("popover")
    label = picker.proto.popover.label
    assert (read(label), draws(label)) == ("![x](http://evil)", False)


def test_there_is_to_pick_from_what_the_exporter_and_control_tell_of(environment: pytest.MonkeyPatch, steered: Steered) -> None:
    fleets = [({"model_name": "other", "namespace": "inference", "cluster": "eu"}, 3.0)]
    with prometheus({fleet_queries.fleets().expr: fleets}) as url:
        environment.setenv("KVDECK_PROMETHEUS_URL", url)
        page = _opened()
    options = {box.key: box.options for box in page.selectbox}
    assert options["model"] == ["all", "other", "smollm2"]
    assert (options["namespace"], options["cluster"]) == (["all", "inference"], ["all", "eu"])
