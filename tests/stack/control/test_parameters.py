from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stack.control.decide import Decision, decide
from stack.control.diff import Change
from stack.control.parameters import ChangeParameter
from stack.control.refusal import RefusedError
from stack.control.state import Desired
from stack.model.tier import Pool
from stack.strategies.parameters import declared
from tests.stack.control.samples import FLEET, STRATEGIES, desired

AT = "models.smollm2.pools.decode.parameters"


def _told(parameters: object, before: Desired | None = None) -> Decision:
    return decide({"pools": {"decode": {"parameters": parameters}}}, before or desired(), FLEET, STRATEGIES)


def _refusal(parameters: object) -> tuple[str, str]:
    with pytest.raises(RefusedError) as refused:
        _told(parameters)
    return refused.value.field, refused.value.message


def test_a_strategy_is_told_something_in_one_pool() -> None:
    told = _told({"prefix_aware": {"patience_tokens": 100}, "session": {"light_load": 0}})
    assert told.desired.models["smollm2"].pools.decode.parameters == {
        "prefix_aware": {"patience_tokens": 100.0},
        "session": {"light_load": 0},
    }
    assert told.desired.models["smollm2"].pools.prefill.parameters == {}
    assert told.diff == (
        Change(field=f"{AT}.prefix_aware.patience_tokens", before=None, after=100.0),
        Change(field=f"{AT}.session.light_load", before=None, after=0),
    )
    assert told.effects == (
        ChangeParameter("smollm2", Pool.DECODE, "prefix_aware", "patience_tokens", None, 100.0, acting=True),
        ChangeParameter("smollm2", Pool.DECODE, "session", "light_load", None, 0, acting=False),
    )
    assert [effect.sentence for effect in told.effects] == [
        "In the decode pool patience_tokens of prefix_aware is 100.0 (until now 768.0).",
        "In the decode pool light_load of session is 0 (until now 4). The pool does not choose by session now.",
    ]


def test_null_takes_one_back_or_all_of_a_strategys() -> None:
    told = _told({"session": {"light_load": 0, "load_factor": 2}, "prefix_aware": {"min_match_share": 0.25}}).desired
    less = _told({"session": {"light_load": None}}, told).desired
    assert less.models["smollm2"].pools.decode.parameters == {
        "session": {"load_factor": 2.0},
        "prefix_aware": {"min_match_share": 0.25},
    }
    assert _told({"session": None, "prefix_aware": {"min_match_share": None}}, less).desired == desired()


@given(st.sampled_from(STRATEGIES), st.sampled_from(STRATEGIES))
def test_a_change_of_strategy_drops_no_parameters(first: str, second: str) -> None:
    told = _told({name: {each.name: each.default for each in declared(name).values()} for name in STRATEGIES}).desired
    parameters = told.models["smollm2"].pools.decode.parameters
    for change in ({"strategy": first}, {"pools": {"decode": {"strategy": second}}}, {"pools": {"decode": {"strategy": None}}}):
        told = decide(change, told, FLEET, STRATEGIES).desired
    assert told.models["smollm2"].pools.decode.parameters == parameters
    assert msgspec.json.decode(msgspec.json.encode(told), type=Desired) == told


@pytest.mark.parametrize(
    ("parameters", "field", "message"),
    [
        ({"sesion": {}}, f"{AT}.sesion", "unknown strategy 'sesion'; known: kv_aware, prefix_aware, round_robin, session"),
        ({"session": {"load": 2}}, f"{AT}.session.load",
         "unknown parameter 'load' of session; allowed: load_factor, light_load"),
        ({"session": {"load": None}}, f"{AT}.session.load",
         "unknown parameter 'load' of session; allowed: load_factor, light_load"),
        ({"round_robin": {"x": 2}}, f"{AT}.round_robin.x",
         "unknown parameter 'x' of round_robin; allowed: none: it takes no parameters"),
        ({"session": {"load_factor": 0.5}}, f"{AT}.session.load_factor", "0.5 is not allowed: a number from 1 to 100"),
        ({"session": {"light_load": 1.5}}, f"{AT}.session.light_load", "1.5 is not allowed: a whole number from 0 to 10,000"),
        ({"session": {"light_load": "all"}}, f"{AT}.session.light_load", '"all" is not allowed: a whole number from 0 to 10,000'),
        ([], AT, "[] is not allowed: an object keyed by strategy"),
    ],
)  # fmt: skip
def test_what_no_strategy_takes_is_refused_with_what_one_does(parameters: object, field: str, message: str) -> None:
    assert _refusal(parameters) == (field, message)
