"""Who may only look finds nothing on any page that would change something, and reads why."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from stack.control.access import Role
from stack.wiring.control_alerts import Watchers
from tests.dashboard.conftest import Opener
from tests.dashboard.fakes import EmulatedFleet, Steered, prometheus
from tests.dashboard.views.test_dpd import LOAD, PRESSED, answers, remembered
from tests.grants import grant
from tests.stack.api.alarms import FakeAlertmanager, FakePrometheus, alert
from tests.stack.api.deck import running
from tests.stack.control.samples import desired

DOWN = alert("KvdeckEngineDown", severity="critical", model_name="smollm2", replica="decode-0")
WIDGETS = (
    "button",
    "checkbox",
    "multiselect",
    "number_input",
    "radio",
    "select_slider",
    "selectbox",
    "slider",
    "text_input",
    "toggle",
)
LOOKING = {"hold hours", "a generation", "experiment", "examine again", *(f"try {number}" for number in range(3))}
"""What changes nothing and is not in the URL."""
PAGES: Mapping[str, tuple[str, Mapping[str, str], bool]] = {
    "Overview": ("overview", {}, False),
    "Cache": ("cache", {"cache-part": "A bigger L1?"}, False),
    "DPD, load": ("dpd", {}, True),
    "DPD, threshold": ("dpd", {"dpd-part": "Threshold"}, True),
    "Routing": ("routing", {}, False),
    "Pools and engines": ("engines", {"engines-engine": "decode-1", "engines-pool": "smollm2 decode"}, True),
    "Control": ("control", {"set": "strategy=session"}, True),
    "Alerts": ("alerts", {"alerts-open-KvdeckEngineDown-critical": "true"}, True),
    "Doctor": ("doctor", {}, False),
}
"""The view, the link, and whether others may change something there."""


@pytest.fixture
def looked_at(environment: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Steered]:
    """A control with requests in mind, an alert and an experiment, which a viewer looks at."""
    fleet = EmulatedFleet(running("prefill-0", "decode-0", "decode-1").engines)
    watching = Watchers(alertmanager=FakeAlertmanager([DOWN]), prometheus=FakePrometheus([DOWN]))
    control = Steered(tmp_path / "control", fleet, desired(), "root", watching=watching, others=(grant("bob", Role.VIEWER),))
    remembered(control)
    (tmp_path / "token").write_text("bob")
    environment.setenv("KVDECK_CONTROL_URL", control.url)
    environment.setenv("KVDECK_CONTROL_TOKEN_FILE", str(tmp_path / "token"))
    with prometheus(answers(LOAD, PRESSED)) as url:
        environment.setenv("KVDECK_PROMETHEUS_URL", url)
        yield control
    control.stop()


def enabled(page: AppTest) -> Iterator[Any]:
    """Widgets that take something in and do not only say what is looked at."""
    widgets: Iterator[Any] = chain.from_iterable(page.get(kind) for kind in WIDGETS)
    for widget in widgets:
        if not widget.disabled and not getattr(widget.proto, "query_param_key", "") and widget.key not in LOOKING:
            yield widget


@pytest.mark.parametrize("title", PAGES)
def test_a_viewer_changes_nothing_on_any_page_and_reads_why(title: str, opened: Opener, looked_at: Steered) -> None:
    view, query, changeable = PAGES[title]
    page = opened(view, query)
    assert not page.exception
    assert [(widget.type, widget.label) for widget in enabled(page)] == []
    told = [text.value for text in (*page.info, *page.caption)]
    assert any("looks only" in text or "You may look" in text for text in told) is changeable
    drafts = [link.proto.label for link in page.get("page_link") if "set=" in link.proto.query_string]
    assert drafts == []
