"""Candidates as bars."""

from __future__ import annotations

from dashboard.deciding import candidates
from stack.control.decision import Candidate, Selection


def _parts(bars: candidates.Bars) -> dict[str, list[float | None]]:
    return {trace.name: list(trace.x) for trace in bars.figure.data}


def _kv_aware() -> Selection:
    weighed = {"overhead_s": 0.01, "queue_s": 0.0, "compute_s": 0.02, "load_s": 0.005, "ttft_s": 0.035, "known": 1.0}
    held = {"engine_tokens": 160.0, "l1_tokens": 16.0, "weighed_s": 0.041}
    return Selection(
        strategy="kv_aware", engine="d-0", reason="most_cached", ranked_by="weighed_s",
        candidates=(
            Candidate(engine="d-0", in_flight=2, cached_tokens=176, scores={**weighed, **held}),
            Candidate(engine="d-1", cached_tokens=16, doubts=("l2: evictions",), scores={"engine_tokens": 16.0}),
            Candidate(engine="d-2"),
        ),
    )  # fmt: skip


def test_waits_are_stacked_and_what_ranks_them_is_a_mark() -> None:
    waits, found, busy = candidates.bars(_kv_aware(), 256)
    assert _parts(waits) == {
        "compute": [0.02, None, None],
        "load": [0.005, None, None],
        "overhead": [0.01, None, None],
        "queue": [0.0, None, None],
        "ranked by": [0.041, None, None],
    }
    assert waits.told == "d-0 0.035 s; d-1 unknown; d-2 unknown"
    assert _parts(found) == {"engine": [160.0, 16.0, None], "l1": [16.0, None, None]}
    assert _parts(busy) == {"in flight": [2, 0, 0]}


def test_what_is_not_known_is_written_and_no_bar_of_nothing() -> None:
    waits, found, _ = candidates.bars(_kv_aware(), 256)
    assert [note.text for note in waits.figure.layout.annotations] == ["not weighed", "not weighed"]
    assert [(note.text, note.x, note.hovertext) for note in found.figure.layout.annotations] == [
        ("at least", 16, "not known: l2: evictions"),
        ("unknown", 0, None),
    ]


def test_a_strategy_without_predictions_shows_how_busy_engines_were() -> None:
    scores = {"rank": 0.0, "in_flight": 3.0, "capacity": 4.0}
    chosen = Selection(strategy="session", engine="d-0", reason="session_home", ranked_by="rank",
                       candidates=(Candidate(engine="d-0", in_flight=3, scores=scores),))  # fmt: skip
    assert [(one.title, _parts(one)) for one in candidates.bars(chosen, 10)] == [
        ("In flight", {"in flight": [3], "full at": [4.0]})
    ]


def test_a_candidates_bars_are_at_one_height_in_each_figure() -> None:
    figures = [one.figure for one in candidates.bars(_kv_aware(), 256)]
    assert {(one.layout.height, tuple(one.layout.yaxis.range), tuple(one.layout.yaxis.tickvals)) for one in figures} == {
        (108, (2.5, -0.5), (0, 1, 2))
    }


def test_the_chosen_candidate_stands_out() -> None:
    assert list(candidates.bars(_kv_aware(), 256)[0].figure.layout.yaxis.ticktext) == ["<b>d-0</b>", "d-1", "d-2"]
