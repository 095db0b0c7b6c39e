"""The whole app, as Streamlit runs it."""

from __future__ import annotations

from pathlib import Path

import pytest
from streamlit import config
from streamlit.testing.v1 import AppTest

import dashboard
from dashboard import arrival
from tests.dashboard.fakes import Steered, prometheus
from tests.dashboard.samples import BUSY
from tests.guarded import guarded


def test_the_app_opens_on_the_overview_though_every_source_is_away(environment: pytest.MonkeyPatch) -> None:
    page = AppTest.from_file(Path(dashboard.__path__[0]) / "app.py", default_timeout=60).run()
    page.session_state["control"].close()
    assert [title.value for title in page.title] == ["Overview"] == [page.session_state["page drawn"]]
    assert not page.exception


def test_who_comes_sees_the_numbers_of_the_overview_before_its_charts_are_sent(
    environment: pytest.MonkeyPatch, steered: Steered
) -> None:
    waits: list[float] = []
    environment.setattr(arrival, "sleep", waits.append)
    with prometheus(BUSY) as url:
        environment.setenv("KVDECK_PROMETHEUS_URL", url)
        page = AppTest.from_file(Path(dashboard.__path__[0]) / "app.py", default_timeout=60).run()
        assert waits == [arrival.AHEAD_SECONDS]
        page.run()
    page.session_state["control"].close()
    assert waits == [arrival.AHEAD_SECONDS]
    assert page.metric
    assert page.get("plotly_chart")


@pytest.mark.parametrize("address", [None, "0.0.0.0", "10.0.0.7"])
def test_beyond_loopback_nothing_is_shown_but_why(environment: pytest.MonkeyPatch, address: str | None) -> None:
    config.set_option("server.address", address)
    page = AppTest.from_file(Path(dashboard.__path__[0]) / "app.py", default_timeout=60).run()
    assert [error.value.partition(", which")[0] for error in page.error] == [f"This dashboard listens on {address or '0.0.0.0'}"]
    assert "kvdeck dashboard --sign-in" in page.error[0].value
    assert not page.title


def test_where_people_sign_in_nobody_is_shown_anything_unknown(environment: pytest.MonkeyPatch) -> None:
    environment.setenv("KVDECK_SIGN_IN", "1")
    page = AppTest.from_file(Path(dashboard.__path__[0]) / "app.py", default_timeout=60).run()
    assert [error.value.partition(".")[0] for error in page.error] == ["Nobody is signed in"]
    assert not page.title


def test_a_prometheus_that_does_not_know_the_token_is_told_as_such(environment: pytest.MonkeyPatch, tmp_path: Path) -> None:
    file = tmp_path / "http.yaml"
    file.write_text("authorization: {credentials: wr0ng}")
    environment.setenv("KVDECK_PROMETHEUS_CONFIG", str(file))
    with guarded(lambda asked: asked.headers.get("authorization") == "Bearer right") as url:
        environment.setenv("KVDECK_PROMETHEUS_URL", url)
        page = AppTest.from_file(Path(dashboard.__path__[0]) / "app.py", default_timeout=60).run()
    page.session_state["control"].close()
    told = "\n".join(error.value for error in page.error)
    assert "it does not know who asks (HTTP Status Code 401" in told
    assert "wr0ng" not in told
