"""What a change is about."""

from __future__ import annotations

import pytest

from stack.control.diff import Change, diff
from stack.control.state import Desired, ModelState


@pytest.mark.parametrize(
    ("field", "model"),
    [
        ("models.smollm2.strategy", "smollm2"),
        ("models.llama-3.1-8b.pools.decode.replicas", "llama-3.1-8b"),
        ("models.meta.llama-3.1.dpd.enabled", "meta.llama-3.1"),
        ("tiers.l1.bytes", None),
    ],
)
def test_a_field_tells_its_model_whatever_dots_the_name_has(field: str, model: str | None) -> None:
    assert Change(field=field, before=None, after=1).model == model


def test_every_field_of_a_model_is_its() -> None:
    changes = diff(Desired(models={}), Desired(models={"m-1.5": ModelState()}))
    assert {change.model for change in changes} == {"m-1.5"}
