"""The arms of a comparison."""

from __future__ import annotations

import pytest

from stack.bench.arm import Arm, Shape, arms
from stack.control.state import Dpd, ModelState


def test_a_shape_is_prefill_plus_decode() -> None:
    assert Shape.parse(" 1+2 ") == Shape(prefill=1, decode=2)
    assert str(Shape(0, 2)) == "0+2"


@pytest.mark.parametrize("text", ["", "2", "1+0", "-1+2", "1+2+3", "a+b"])
def test_what_is_no_shape_is_refused_in_words(text: str) -> None:
    with pytest.raises(ValueError, match="PREFILL\\+DECODE"):
        Shape.parse(text)


def test_the_fleet_changes_least_often() -> None:
    listed = [str(arm) for arm in arms([Shape(0, 2), Shape(1, 2)], ["chat"], ["round_robin", "kv_aware"])]
    assert listed == ["0+2 chat round_robin", "0+2 chat kv_aware", "1+2 chat round_robin", "1+2 chat kv_aware"]


def test_disaggregation_is_on_where_there_is_a_prefill_engine() -> None:
    model = ModelState(dpd=Dpd(enabled=True, routing_threshold=4096))
    pools = {"prefill": {"replicas": 1, "strategy": None}, "decode": {"replicas": 2, "strategy": None}}
    assert Arm(Shape(1, 2), "chat", "session").patch(model, 512) == {
        "strategy": "session", "pools": pools, "dpd": {"enabled": True, "routing_threshold": 512},
    }  # fmt: skip
    assert Arm(Shape(0, 2), "chat", "session").patch(model, 512)["dpd"] == {"enabled": False, "routing_threshold": 4096}
