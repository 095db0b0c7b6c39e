"""A preview says with what a strategy begins, and of which engines nothing is known."""

from __future__ import annotations

from dataclasses import replace

import pytest

from stack.control.decide import decide
from stack.control.link import EngineReport, RouterReport
from stack.control.members import observe
from stack.control.warmth import warmth
from stack.fleet.engine import State
from stack.model.target import Target
from stack.model.tier import Pool
from tests.stack.control.samples import FLEET, STRATEGIES, desired, member


def said(*placements: str | None) -> str:
    """What is said of a switch to kv_aware among engines of these placements; round_robin stands in."""
    pool = [member(f"decode-{number}", placement=placement) for number, placement in enumerate(placements)]
    return warmth("kv_aware", "round_robin", pool)


@pytest.mark.parametrize(
    ("placements", "sentence"),
    [
        (("whole", "whole"), "It begins warm: what all its engines hold is known."),
        (("whole", "partial"), "It begins partly warm: what decode-1 held before is not known."),
        (
            ("partial", "unknown", None),
            "It begins partly warm: what decode-0 held before is not known; of decode-1 nothing is known (unknown); "
            "of decode-2 nothing is known (not told).",
        ),
        (
            ("no_tokenizer", "no_tokenizer"),
            "It begins cold: of no engine is it known what it holds (no_tokenizer), so round_robin decides until it is.",
        ),
        ((None, None), "Whether it begins warm is unknown: no router tells what is known of the engines' caches."),
        ((), "Whether it begins warm is unknown: no router tells what is known of the engines' caches."),
    ],
)
def test_kv_aware_begins_with_what_is_known_of_its_engines(placements: tuple[str | None, ...], sentence: str) -> None:
    assert said(*placements) == sentence


def test_engines_that_are_only_coming_say_nothing() -> None:
    pool = [member("decode-0", placement="whole"), member("decode-1", State.JOINING)]
    assert warmth("kv_aware", "session", pool) == "It begins warm: what all its engines hold is known."


def test_prefix_aware_begins_with_what_was_sent_and_the_others_have_nothing_to_know() -> None:
    assert warmth("prefix_aware", "session", FLEET) == (
        "It begins with what each router has sent since its start, whatever was in force; one that just started begins cold."
    )
    assert [warmth(name, "session", FLEET) for name in ("round_robin", "session")] == ["", ""]


def test_the_sentence_of_a_switch_tells_it_for_each_pool() -> None:
    fleet = [replace(one, placement="whole" if one.pool is Pool.DECODE else "unknown") for one in FLEET]
    effects = decide({"strategy": "kv_aware"}, desired(), fleet, STRATEGIES).effects
    assert [effect.sentence for effect in effects] == [
        "From the next request on the prefill pool chooses by kv_aware (until now prefix_aware). "
        "It begins cold: of no engine is it known what it holds (unknown), so prefix_aware decides until it is.",
        "From the next request on the decode pool chooses by kv_aware (until now prefix_aware). "
        "It begins warm: what all its engines hold is known.",
    ]


def test_of_several_routers_the_one_that_knows_least_counts() -> None:
    target = Target(replica="decode-0", url="http://d", pool=Pool.DECODE, model="smollm2", model_root="/m")

    def seen(*placements: str | None) -> str | None:
        reports = [
            RouterReport(
                id=str(number),
                version=1,
                generation=1,
                engines=(EngineReport(name="decode-0", health="ready", in_flight=0, placement=placement),),
            )
            for number, placement in enumerate(placements)
        ]
        return observe([target], [], reports, ())[0].placement

    assert [seen("whole", "partial"), seen("partial", "no_tokenizer", "whole"), seen("whole", None), seen(None), seen()] == [
        "partial",
        "no_tokenizer",
        "whole",
        None,
        None,
    ]
