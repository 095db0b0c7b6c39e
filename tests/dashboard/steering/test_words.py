"""Every field that can be set has words on the page, and no words are for a field that is not."""

from __future__ import annotations

from dashboard.steering.rest import seldom
from dashboard.steering.words import OF_A_POOL, OTHERS
from stack.control.settable import settable


def test_every_field_is_named_and_only_fields_are() -> None:
    paths = {field.path for field in settable() if seldom(field.path) and ".parameters." not in field.path}
    of_pools = {f"pools.{pool}.{name}" for pool in ("prefill", "decode") for name in OF_A_POOL}
    assert paths == of_pools | set(OTHERS)


def test_every_parameter_of_a_strategy_says_what_it_does() -> None:
    assert [field.path for field in settable() if ".parameters." in field.path and not field.meaning] == []
