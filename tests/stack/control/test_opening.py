from __future__ import annotations

import pytest

from stack.control.opening import NoDesiredStateError, Opening, opening
from stack.control.ports import Kept
from stack.control.refusal import RefusedError
from stack.control.state import Desired
from tests.stack.control.samples import STRATEGIES, desired, model


def test_the_first_start_takes_the_configuration() -> None:
    configured = Desired(models={"smollm2": model(strategy="prefixaware")})
    assert opening(None, configured, STRATEGIES) == Opening(
        Kept(1, desired()), new=True, reason="first start: the configured state is in force"
    )


def test_what_was_kept_wins_over_the_configuration() -> None:
    assert opening(Kept(7, desired(decode=3)), desired(), STRATEGIES) == Opening(
        Kept(7, desired(decode=3)),
        new=False,
        reason="the state kept before the restart is in force and wins over the configured one",
    )
    assert opening(Kept(7, desired()), None, STRATEGIES).reason == "the state kept before the restart is in force"
    assert opening(Kept(7, desired()), desired(), STRATEGIES).reason == "the state kept before the restart is in force"


def test_what_a_newer_release_kept_is_in_force_without_what_this_one_does_not_know() -> None:
    kept = Kept(7, desired(), schema=9, beyond={"weather": "fine"}, ignored=("weather",))
    assert opening(kept, desired(), STRATEGIES) == Opening(
        kept, new=False, reason="the state kept before the restart is in force, without weather of a newer release (schema 9)"
    )


def test_other_models_make_the_configuration_win() -> None:
    other = Desired(models={"qwen": model()})
    assert opening(Kept(7, desired()), other, STRATEGIES) == Opening(
        Kept(8, other), new=True, reason="the models differ (kept: smollm2; configured: qwen): the configured state is in force"
    )


def test_a_kept_state_that_is_not_valid_any_more_gives_way() -> None:
    gone = Desired(models={"smollm2": model(strategy="retired")})
    begin = opening(Kept(7, gone), desired(), STRATEGIES)
    assert (begin.kept, begin.new) == (Kept(8, desired()), True)
    with pytest.raises(RefusedError, match="unknown strategy 'retired'"):
        opening(Kept(7, gone), None, STRATEGIES)


def test_nothing_kept_and_nothing_configured_is_said() -> None:
    with pytest.raises(NoDesiredStateError, match="pass --config FILE"):
        opening(None, None, STRATEGIES)


def test_a_configuration_that_makes_no_sense_is_refused() -> None:
    with pytest.raises(RefusedError, match="DPD needs a prefill engine"):
        opening(None, desired(prefill=0), STRATEGIES)


def test_a_stack_started_anew_runs_as_it_was_told_to() -> None:
    begin = opening(Kept(7, desired(decode=3)), desired(), STRATEGIES, new_run=True)
    assert begin == Opening(Kept(8, desired()), new=True, reason="the stack was started anew: the configured state is in force")
