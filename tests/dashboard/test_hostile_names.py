"""No name, reason or comment of others is markup on any page: what is read there is what they wrote."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import httpx
import pytest
from msgspec.structs import replace
from streamlit.testing.v1 import AppTest

from dashboard.caching.engines import MEASURES
from dashboard.promapi import PrometheusUnavailableError
from dashboard.settings import SettingsError
from dashboard.wording import plain
from stack.api.answers import ControlUnreachableError, RefusedChangeError, UnauthorizedError
from stack.api.schema import ErrorDetail
from stack.control.access import Role
from stack.control.alert import AlertState, SilencedBy
from stack.control.decision import Candidate, DecisionRecord, Selection, ShadowChoice
from stack.control.precondition import Precondition, Verdict
from stack.control.silence import EVERY_ONE, Silence, SilenceState
from stack.control.state import Desired
from stack.metrics import balance_queries
from stack.metrics.balance_queries import HELD, LEAST, MEAN, WAITING
from stack.metrics.cache_queries import FOUND, LOADED
from stack.metrics.engine_queries import Quantity
from stack.wiring.control_alerts import Watchers
from tests.dashboard.conftest import Opener
from tests.dashboard.fakes import EmulatedFleet, Steered, prometheus
from tests.dashboard.hostile import ENGINE, LINES, MODEL, TEXT, Everything, labels, live, shown
from tests.dashboard.samples import COURSE, SERVED, of_model, overview
from tests.dashboard.views.test_doctor import Examiner
from tests.decisions import disaggregated
from tests.grants import grant
from tests.stack.api.alarms import FakeAlertmanager, FakePrometheus, alert
from tests.stack.api.deck import running
from tests.stack.control.samples import model

ALERT = f"Kvdeck{TEXT}"
FENCE = f"a\n```\n{TEXT}"
"""What would end the code that a tooltip's query stands in."""
_SAID = ErrorDetail(code="invalid", message=TEXT, field=TEXT)
ERRORS = (
    PrometheusUnavailableError(TEXT), ControlUnreachableError(TEXT), SettingsError(TEXT), UnauthorizedError(401, _SAID),
    RefusedChangeError(422, _SAID),
)  # fmt: skip
QUANTITIES = ("capacity", "evicted", "sampled", "again", "lived", "gap", "asked", "blocks", "chunks", "keys", "nodes", "answering",
              "absent", "different", "full", "limit", "moved", "fabric", FOUND, LOADED, "share", "engines", *Quantity)  # fmt: skip
TENTHS = {measure.steps({}, "60s").expr: [(labels(pool=TEXT, quantity="2"), 90.0)] for measure in MEASURES.values()}
_POOL = {"model_name": MODEL, "pool": "decode", "cluster": TEXT, "namespace": TEXT}
PRESSED = {
    balance_queries.pressure().expr: [
        *((_POOL | {"state": state, "replica": ENGINE}, value) for state, value in ((HELD, 9.0), (WAITING, 6.0))),
        *((_POOL | {"state": state}, value) for state, value in ((MEAN, 4.5), (LEAST, 0.25))),
    ]
}


@pytest.fixture
def told(environment: pytest.MonkeyPatch) -> Iterator[None]:
    """A Prometheus that has names of others for everything."""
    fleets = (
        of_model(SERVED, MODEL, namespace=TEXT),
        of_model(COURSE, MODEL),
        of_model({"requests": [({"code": TEXT}, 1.0)]}, TEXT),
    )
    firing = {"firing": [({"alertname": ALERT, "severity": "critical"}, 1.0)]}
    with prometheus(Everything(QUANTITIES, {**TENTHS, **PRESSED, **overview(*fleets, firing)})) as url:
        environment.setenv("KVDECK_PROMETHEUS_URL", url)
        yield


@pytest.fixture
def controls(environment: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Callable[..., Steered]]:
    """Starts a control of these models over a fleet of the first, whose engine is named by others."""
    started: list[Steered] = []

    def start(*models: str, secret: str | None = None, **more: Any) -> Steered:
        fleet = EmulatedFleet(running("prefill-0", ENGINE, "decode-1").engines, model=models[0])
        served = Desired(models={name: model() for name in models})
        started.append(Steered(tmp_path / "control", fleet, served, secret, **more))
        environment.setenv("KVDECK_CONTROL_URL", started[0].url)
        return started[0]

    yield start
    for control in started:
        control.stop()


@pytest.fixture
def hostile(controls: Callable[..., Steered]) -> Steered:
    """A control whose model and engine are named by others, with alerts, silences and findings of theirs."""
    firing = [
        alert(ALERT, severity=TEXT, model_name=MODEL, replica=ENGINE, reason=TEXT),
        replace(alert(TEXT, AlertState.SILENCED), silenced_by=(SilencedBy(id="s", by=TEXT, until=9e9, comment=LINES),)),
    ]
    manager = FakeAlertmanager([replace(one, summary=f"{TEXT} {LINES}", description=LINES) for one in firing])
    manager.kept = [Silence(id="s", state=SilenceState.ACTIVE, matchers=(EVERY_ONE,), by=TEXT, comment=LINES, starts=0.0, ends=9e9)]
    doctor = Examiner()
    doctor.found = tuple(
        Precondition(id=TEXT, group=TEXT, title=TEXT, verdict=verdict, evidence=ENGINE, why=LINES, fix=MODEL) for verdict in Verdict
    )
    watching = Watchers(alertmanager=manager, prometheus=FakePrometheus(firing), runbooks={}, doctor=doctor)
    return controls(MODEL, watching=watching)


def decided() -> DecisionRecord:
    candidate = Candidate(engine=ENGINE, in_flight=3, cached_tokens=7, doubts=(TEXT,), scores={"load_s": 1.0, f"{TEXT}_s": 2.0})
    chosen = Selection(strategy=TEXT, engine=ENGINE, reason=TEXT, ranked_by=f"{TEXT}_s", candidates=(candidate,))
    words = dict.fromkeys(("path_reason", "compared", "error", "experiment", "unknown_placement", "prefill_engine"), TEXT)
    return disaggregated(
        at=time.time() - 1, request_id=ENGINE, model=MODEL, engine=ENGINE, prefill=chosen, decode=chosen, fallbacks=(TEXT,),
        shadows=(ShadowChoice(strategy=TEXT, engine="decode-1", reason=TEXT, agrees=False),),
        phases={TEXT: 1.0, MODEL: 1.0}, arm="control",
        **words,
    )  # fmt: skip


BY = {"If-Match": "1", "X-Kvdeck-Actor": MODEL, "X-Kvdeck-Comment": TEXT}
UNFOLDED = {f"alerts-open-{ALERT}-{TEXT}": "true", f"alerts-open-{TEXT}-warning": "true"}
PAGES: list[tuple[str, Mapping[str, str], set[str]]] = [
    ("overview", {}, {MODEL, TEXT, ALERT}),
    ("overview", {"model": FENCE, "namespace": TEXT}, {FENCE, TEXT}),
    ("cache", {"cache-part": "Where KV came from"}, {ENGINE, TEXT}),
    ("cache", {"cache-part": "Tiers"}, set()),
    ("cache", {"cache-part": "A bigger L1?"}, {ENGINE}),
    ("cache", {"cache-part": "Found and loaded"}, {ENGINE, TEXT}),
    ("cache", {"cache-part": "L2"}, {ENGINE, TEXT}),
    ("cache", {"cache-part": "Engines"}, set()),
    ("cache", {"cache-part": "Not told"}, {ENGINE, TEXT}),
    ("dpd", {"dpd-part": "Load and advice"}, set()),
    ("dpd", {"dpd-part": "Time and transfers"}, set()),
    ("dpd", {"dpd-part": "Threshold", "model": FENCE}, {FENCE}),
    ("routing", {}, {ENGINE, TEXT}),
    ("routing", {"routing-request": ENGINE, "routing-strategy": TEXT}, {ENGINE, MODEL, TEXT}),
    ("routing", {"routing-request": MODEL}, {MODEL}),
    ("routing", {"routing-view": "Quality"}, {TEXT}),
    ("engines", {"engines-engine": ENGINE, "engines-pool": f"{MODEL} decode"}, {ENGINE, MODEL, TEXT}),
    ("engines", {"engines-engine": TEXT}, {TEXT}),
    ("control", {"set": ENGINE}, {ENGINE}),
    ("alerts", UNFOLDED, {ENGINE, MODEL, TEXT, ALERT, LINES}),
    ("doctor", {}, {ENGINE, MODEL, TEXT, LINES}),
]


@pytest.mark.parametrize(("view", "link", "names"), PAGES)
def test_every_page_shows_what_others_wrote_as_it_is(
    opened: Opener, told: None, hostile: Steered, view: str, link: Mapping[str, str], names: set[str]
) -> None:
    hostile.report(decided())
    page = opened(view, link)
    assert not page.exception
    assert live(page) == []
    assert shown(page, *names) == names


def test_what_control_does_not_serve_is_named_as_it_is(opened: Opener, told: None, steered: Steered) -> None:
    page = opened("dpd", {"dpd-part": "Load and advice"})
    assert (live(page), shown(page, MODEL)) == ([], {MODEL})
    page = opened("dpd", {"dpd-part": "Threshold", "model": MODEL})
    assert (live(page), shown(page, MODEL)) == ([], {MODEL})


def test_a_change_is_previewed_and_told_with_names_as_they_are(opened: Opener, hostile: Steered) -> None:
    changed = {"models": {MODEL: {"pools": {"decode": {"replicas": 1}}}}}
    assert httpx.patch(f"{hostile.url}/v1/state", json=changed, headers=BY).status_code == 200
    page = opened("control")
    page.selectbox(key="a generation").set_value(2)
    next(widget for widget in page.number_input if widget.label == "Prefill engines").set_value(0)
    next(button for button in page.run().button if button.label == "Preview").click()
    page.run()
    assert not page.exception
    assert live(page) == []
    assert shown(page, MODEL, TEXT) == {MODEL, TEXT}


def test_an_experiment_is_told_with_names_as_they_are(opened: Opener, hostile: Steered) -> None:
    tried = {"candidate": {"models": {MODEL: {"strategy": "session"}}}, "share": 0.5, "samples": 1_000}
    assert httpx.post(f"{hostile.url}/v1/experiments", json=tried, headers=BY).status_code == 200
    page = opened("control")
    assert not page.exception
    assert live(page) == []
    assert shown(page, MODEL, TEXT) == {MODEL, TEXT}


def test_of_several_models_each_is_named_as_it_is(opened: Opener, told: None, controls: Callable[..., Steered]) -> None:
    controls(MODEL, TEXT)
    for view, link in (("dpd", {"dpd-part": "Threshold"}), ("control", {})):
        page = opened(view, link)
        assert not page.exception
        assert (live(page), shown(page, MODEL, TEXT)) == ([], {MODEL, TEXT})


def test_who_looks_is_named_as_they_are(
    opened: Opener, environment: pytest.MonkeyPatch, tmp_path: Path, controls: Callable[..., Steered]
) -> None:
    (tmp_path / "token").write_text("secret")
    environment.setenv("KVDECK_CONTROL_TOKEN_FILE", str(tmp_path / "token"))
    controls(MODEL, secret="admin", others=(grant(TEXT, Role.VIEWER, "secret"),))
    page = opened("control")
    assert (live(page), shown(page, TEXT)) == ([], {TEXT})
    assert f"{plain(TEXT)} is a viewer and looks only" in " ".join(info.value for info in page.info)


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
def test_why_something_failed_is_told_as_it_is(error: Exception) -> None:
    page = AppTest.from_function(_failing, kwargs={"error": error}).run()
    assert not page.exception
    assert (live(page), shown(page, TEXT)) == ([], {TEXT})


def _failing(error: Exception) -> None:
    from dashboard import notices

    with notices.told():
        raise error
