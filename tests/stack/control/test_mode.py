from __future__ import annotations

import pytest

from stack.control.mode import LIVE, Mode, Stance


@pytest.mark.parametrize(
    ("stance", "acts", "refusal"),
    [
        (LIVE, True, None),
        (
            Stance(Mode.DECLARATIVE, "fleet.yaml"),
            True,
            "what is desired is in a file: edit fleet.yaml, or run control with --mode live",
        ),
        (
            Stance(Mode.OBSERVE),
            False,
            "control only observes: run it with --mode live to change what is desired, or with --mode declarative",
        ),
    ],
)
def test_a_mode_says_whether_control_acts_and_what_to_do_instead_of_changing(
    stance: Stance, acts: bool, refusal: str | None
) -> None:
    assert (stance.acts, stance.refusal) == (acts, refusal)
