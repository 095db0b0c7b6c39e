"""What kvdeck's own routers apply, as control tells it."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from stack.api.schema import Applied, RouterView, StateView
from stack.kube.hyperpod.comparison import Steered
from stack.wiring.iec.comparing import applied
from tests.stack.control.samples import desired


def view(*routers: RouterView) -> StateView:
    return StateView(generation=3, desired=desired(), applied=Applied(routers=routers))


def router(name: str, generation: int = 3, *, live: bool = True) -> RouterView:
    return RouterView(id=name, generation=generation, age_seconds=0.1, live=live)


def test_routers_that_apply_the_same_tell_what_it_is() -> None:
    found = applied(view(router("a"), router("b"), router("gone", 1, live=False)), "smollm2")
    assert found == Steered("prefix_aware", 512, "a, b of kvdeck's: generation 3")


def test_without_dpd_there_is_no_threshold() -> None:
    state = view(router("a"))
    model = state.desired.models["smollm2"]
    alone = replace(model, dpd=replace(model.dpd, enabled=False))
    assert applied(replace(state, desired=replace(state.desired, models={"smollm2": alone})), "smollm2").threshold is None


@pytest.mark.parametrize(
    ("routers", "model", "why"),
    [
        ((), "smollm2", "no router of kvdeck's reports to its control"),
        ((router("a"), router("b", 2)), "smollm2", "router b does not apply generation 3 yet"),
        ((router("a"),), "other", "kvdeck's control knows no model 'other'"),
    ],
)
def test_what_they_do_not_tell_is_unknown_with_its_reason(routers: tuple[RouterView, ...], model: str, why: str) -> None:
    assert applied(view(*routers), model) == Steered(fault=why)
