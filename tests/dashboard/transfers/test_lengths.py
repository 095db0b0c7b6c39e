"""The histogram of prompt lengths colours prompts by where the tried threshold sends them."""

from __future__ import annotations

from typing import Any

from dashboard.transfers.lengths import AWAY, DIRECT, HELD, UNSURE, described, picture, ways
from stack.control.decision import DecisionRecord
from stack.control.prompt_lengths import LengthBin
from stack.control.state import Dpd
from stack.control.what_if import WhatIf, what_if
from tests.decisions import decision, disaggregated

DPD = Dpd(routing_threshold=512)
BIN = LengthBin(least=1_024, below=1_218, requests=10, held=3, unsure=2)


def tried(threshold: int, records: list[DecisionRecord], dpd: Dpd = DPD) -> WhatIf:
    return what_if("smollm2", records, dpd, 1, [threshold])


def drawn(view: WhatIf, threshold: int) -> dict[str, tuple[float, ...]]:
    return {trace.name: tuple(trace.y) for trace in picture(view, threshold, "#000000").data if trace.type == "bar"}


def words(view: WhatIf, threshold: int) -> list[Any]:
    return [annotation.text for annotation in picture(view, threshold, "#000000").layout.annotations]


def test_prompts_below_the_threshold_and_those_that_are_held_go_direct() -> None:
    assert ways(BIN, 2_048) == {DIRECT: 10}
    assert ways(BIN, None) == {DIRECT: 10}
    assert ways(BIN, 1_024) == {HELD: 3, UNSURE: 2, AWAY: 5}
    assert ways(BIN, 0) == {HELD: 3, UNSURE: 2, AWAY: 5}


def test_words_at_the_lines_are_above_the_bars() -> None:
    view = tried(1_024, [decision() for _ in range(10)])
    assert tuple(picture(view, 1_024, "#000000").layout.yaxis.range) == (0, 13)


def test_bars_and_words_say_where_a_threshold_sends_prompts() -> None:
    view = tried(1_024, [decision(), decision(), disaggregated()])
    assert drawn(view, 1_024) == {"direct": (2,), "disaggregated": (1,)}
    assert words(view, 1_024) == ["now 512", "tried 1,024"]
    assert described(view, 1_024) == (
        "Histogram of the prompt lengths of 3 requests. With a threshold of 1,024 tokens: 2 direct, 1 disaggregated."
    )


def test_always_is_a_line_at_the_left_end() -> None:
    view = tried(0, [decision(), disaggregated()])
    assert drawn(view, 0) == {"disaggregated": (1, 1)}
    line = picture(view, 0, "#000000").layout.shapes[-1]
    assert (line.x0, line.x1) == (5.0, 5.0)


def test_what_is_in_force_is_one_line_and_none_where_disaggregation_is_off() -> None:
    assert words(tried(512, [decision()]), 512) == ["now 512"]
    assert words(tried(512, [decision()], Dpd(enabled=False, routing_threshold=512)), 512) == ["tried 512"]


def test_where_both_ways_were_seen_the_quicker_one_is_drawn_with_its_interval() -> None:
    slow = [decision(at=float(at), prompt_tokens=1_100, ttft_seconds=0.5 + at % 7 / 100) for at in range(60)]
    quick = [disaggregated(at=float(at), prompt_tokens=1_200, ttft_seconds=0.2 + at % 5 / 100) for at in range(60)]
    (points,) = (trace for trace in picture(tried(512, slow + quick), 512, "#000000").data if trace.type == "scatter")
    assert points.y[0] < 0
    assert points.customdata[0].startswith("1,024 tokens and more: disaggregated -")
