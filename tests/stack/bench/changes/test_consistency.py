"""A record tells of one generation, or says where it does not."""

from __future__ import annotations

import pytest

from stack.bench.changes.consistency import Deciders, Told, contradictions
from stack.control.diff import leaves
from stack.router.recording import record_of
from tests.stack.bench.changes.samples import START, patched
from tests.stack.router.errands import errand

FIELDS = leaves(START)
TOLD = Told.of(record_of(errand()))


def test_a_record_tells_its_threshold_its_comparison_its_strategies_and_whether_it_has_a_session() -> None:
    session = Deciders("session", None)
    assert Told(3, 512, "at_threshold", 512, session, session, has_session=True, has_shadows=False) == TOLD


def test_what_is_of_the_generation_contradicts_nothing() -> None:
    assert list(contradictions(TOLD, "m", FIELDS)) == []
    direct = TOLD._replace(path_reason="dpd_disabled", bound=None, prefill=None)
    assert list(contradictions(direct, "m", leaves(patched(START, {"dpd": {"enabled": False}})))) == []
    held = TOLD._replace(path_reason="already_cached", bound=32, prefill=None)
    assert list(contradictions(held, "m", leaves(patched(START, {"dpd": {"min_uncached_tokens": 32}})))) == []
    stood_in = TOLD._replace(decode=Deciders("session", "prefix_aware"))
    assert list(contradictions(stood_in, "m", FIELDS)) == []


@pytest.mark.parametrize(
    ("patch", "said"),
    [
        (
            {"dpd": {"routing_threshold": 64}},
            ["routing_threshold 512, not 64", "compared with 512, not with the routing_threshold 64"],
        ),
        ({"dpd": {"enabled": False}}, ["at_threshold with dpd.enabled False"]),
        ({"strategy": "kv_aware"}, ["decode by session, not kv_aware", "prefill by session, not kv_aware"]),
        ({"pools": {"prefill": {"strategy": "round_robin"}}}, ["prefill by session, not round_robin"]),
        ({"session_keys": ["body:user"]}, ["a session with session_keys 'body:user'"]),
    ],
)
def test_what_is_of_another_generation_is_told(patch: object, said: list[str]) -> None:
    fields = leaves(patched(START, patch))
    assert list(contradictions(TOLD, "m", fields)) == said


def test_a_stand_in_and_shadows_of_another_generation_are_told() -> None:
    told = TOLD._replace(decode=Deciders("session", "round_robin"), has_shadows=True)
    assert list(contradictions(told, "m", leaves(patched(START, {"shadow_share": 0.0})))) == [
        "decode by round_robin in its place, not prefix_aware",
        "shadows with shadow_share 0",
    ]
