"""The Doctor page over the real control, whose fleet is examined by whoever the test says."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from stack.api import examining
from stack.control.precondition import Precondition, Verdict
from stack.model.target import Target
from stack.wiring.control_alerts import NO_WATCHERS, Watchers
from tests.dashboard.conftest import Opener
from tests.dashboard.fakes import EmulatedFleet, Steered
from tests.stack.api.deck import running
from tests.stack.control.samples import desired


def check(name: str, verdict: Verdict, evidence: str = "so it is") -> Precondition:
    return Precondition(
        id=name, group="fleet", title=f"{name} is well", verdict=verdict, evidence=evidence, why=f"Why {name}.", fix=f"Mend {name}."
    )


FOUND = (
    check("clock", Verdict.PASS),
    check("seed", Verdict.UNKNOWN, "PYTHONHASHSEED of decode-0 not read"),
    check("hash", Verdict.FAIL, "sha256 on decode-0; builtin on decode-1"),
    check("lease", Verdict.NOT_APPLICABLE),
)


class Examiner:
    """Finds what the test says, once it may end."""

    def __init__(self) -> None:
        self.found: tuple[Precondition, ...] = FOUND
        self.asked = 0
        self.error: Exception | None = None
        self.stuck = False

    async def examine(self, targets: Sequence[Target], cache_server: str | None) -> tuple[Precondition, ...]:
        self.asked += 1
        if self.stuck:
            await asyncio.sleep(3600)
        if self.error is not None:
            raise self.error
        return self.found


Starting = Callable[[Watchers], Steered]


@pytest.fixture
def steering(environment: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Starting]:
    started: list[Steered] = []

    def start(watching: Watchers) -> Steered:
        fleet = EmulatedFleet(running("prefill-0", "decode-0").engines)
        started.append(Steered(tmp_path / "control", fleet, desired(), watching=watching))
        environment.setenv("KVDECK_CONTROL_URL", started[0].url)
        return started[0]

    yield start
    for control in started:
        control.stop()


@pytest.fixture
def examiner(steering: Starting, environment: pytest.MonkeyPatch) -> Examiner:
    environment.setattr(examining, "AGAIN_SECONDS", 0.0)  # else whoever asks again at once is shown what was just found
    doctor = Examiner()
    steering(Watchers(doctor=doctor))
    return doctor


def figures(page: AppTest) -> dict[str, str]:
    return {metric.label: metric.value for metric in page.metric}


def test_what_failed_comes_first_with_evidence_and_fix_and_unknown_is_told_as_such(opened: Opener, examiner: Examiner) -> None:
    page = opened("doctor")
    assert not page.exception
    assert figures(page) == {"Failed": "1", "Unknown": "1", "Passed": "1", "Not applicable": "1"}
    assert [heading.value for heading in page.subheader] == ["Failed", "Unknown"]
    texts = [text.value for text in page.markdown]
    assert texts[:3] == [
        ":red-badge[:material/close: failed] **hash is well** :gray[fleet]",
        "sha256 on decode-0; builtin on decode-1",
        "**Fix:** Mend hash.",
    ]
    assert "- **seed is well**: PYTHONHASHSEED of decode-0 not read" in texts
    assert [panel.label for panel in page.expander] == ["Passed: 1", "Not applicable: 1"]
    assert len(page.success) == 0
    assert any(text.value.startswith("Examined by control at ") for text in page.caption)


def test_a_link_shows_what_failed_alone(opened: Opener, examiner: Examiner) -> None:
    page = opened("doctor", {"doctor-verdict": ["failed"]})
    assert [heading.value for heading in page.subheader] == ["Failed"]
    examiner.found = (check("clock", Verdict.PASS),)
    assert figures(page)["Unknown"] == "1"


def test_that_nothing_fails_is_said_with_what_is_unknown(opened: Opener, examiner: Examiner) -> None:
    examiner.found = FOUND[:2]
    page = opened("doctor", {"doctor-verdict": ["failed"]})
    assert [text.value for text in page.info] == [
        "Nothing is known to fail; of 1 checks it could not be told.",
        "No check came to that.",
    ]


def test_that_all_is_well_is_said_where_all_is_known(opened: Opener, examiner: Examiner) -> None:
    examiner.found = (FOUND[0], FOUND[3])
    assert [text.value for text in opened("doctor").success] == ["Every check that concerns this fleet holds."]


def test_an_examination_that_failed_says_why(opened: Opener, examiner: Examiner) -> None:
    examiner.error = ConnectionError("no route")
    page = opened("doctor")
    assert page.error[0].value == "The last examination came to nothing: the examination failed: ConnectionError: no route."
    assert page.info[0].value == "No examination has ended yet."


def test_a_fleet_is_examined_again_on_demand(opened: Opener, examiner: Examiner) -> None:
    page = opened("doctor")
    assert examiner.asked == 1
    page.run()
    assert examiner.asked == 1
    examiner.found = (check("clock", Verdict.PASS),)
    (again,) = page.button
    assert again.label == "Examine again"
    again.click().run()
    assert examiner.asked == 2
    assert figures(page) == {"Failed": "0", "Unknown": "0", "Passed": "1", "Not applicable": "0"}
    assert not page.exception


def test_what_is_seen_of_an_examination_under_way_is_for_how_long(opened: Opener, examiner: Examiner) -> None:
    page = opened("doctor")
    examiner.stuck = True
    page.button[0].click().run()
    assert examiner.asked == 2
    assert any(":blue-badge[:material/hourglass_top: examining for " in text.value for text in page.markdown)
    assert [button.disabled for button in page.button] == [True]
    assert figures(page)["Failed"] == "1"  # what was found before


def test_a_control_that_examines_nothing_and_no_control_say_how_to_examine_by_hand(
    opened: Opener, steering: Starting, environment: pytest.MonkeyPatch
) -> None:
    environment.setenv("KVDECK_CONTROL_URL", "")
    page = opened("doctor")
    assert page.info[0].value.startswith("Without kvdeck's control nobody examines the fleet from here. `kvdeck doctor` examines")
    steering(NO_WATCHERS)
    page = opened("doctor")
    assert page.info[0].value.startswith("This control examines nothing. `kvdeck doctor` examines")
    assert not page.exception


def test_a_control_that_is_away_is_said_once(opened: Opener) -> None:
    page = opened("doctor")
    assert len(page.error) == 1
    assert page.error[0].value.startswith("Control does not answer at ")
    assert any(text.value.startswith("`kvdeck doctor` examines") for text in page.caption)
