"""What somebody types before something is taken away."""

from __future__ import annotations

from dashboard.steering.consent import harm, touched
from stack.api.schema import Applied, ChangeView, EffectView
from stack.control.diff import Change
from tests.stack.control.samples import desired

OFF = ChangeView(
    generation=2,
    desired=desired(),
    proposed=desired(),
    applied=Applied(),
    engines=(),
    dry_run=True,
    diff=(Change(field="models.llama-3.1-8b.dpd.enabled", before=True, after=False),),
    effects=(EffectView(kind="switch_dpd", model="llama-3.1-8b", sentence="goes off"),),
)


def test_a_model_with_a_dot_in_its_name_is_known_by_its_whole_name() -> None:
    assert harm(OFF) == list(OFF.effects)
    assert touched(OFF) == "llama-3.1-8b"
