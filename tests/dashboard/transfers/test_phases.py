"""Phases of a request: parts of a mean, which add up."""

from __future__ import annotations

from dashboard import palette
from dashboard.promapi import Sample
from dashboard.transfers.phases import bars, described
from stack.router.phases import Phase

PARTS = {
    ("direct", "router"): 0.01,
    ("direct", "prefill"): 0.19,
    ("dpd", "router"): 0.02,
    ("dpd", "kv_transfer"): 0.1,
    ("dpd", "decode"): 1.0,
}
SAMPLES = [Sample({"path": path, "phase": phase}, value, 0.0) for (path, phase), value in PARTS.items()]


def test_every_phase_of_the_router_has_a_colour_in_its_order() -> None:
    assert list(palette.PHASES) == [phase.value for phase in Phase]


def test_each_path_is_a_bar_whose_whole_is_written_at_its_end() -> None:
    figure = bars(SAMPLES)
    assert {trace.name: (tuple(trace.y), tuple(trace.x)) for trace in figure.data} == {
        "router": (("direct", "disaggregated"), (0.01, 0.02)),
        "prefill": (("direct",), (0.19,)),
        "kv_transfer": (("disaggregated",), (0.1,)),
        "decode": (("disaggregated",), (1.0,)),
    }
    assert {note.y: note.text for note in figure.layout.annotations} == {"direct": "200 ms", "disaggregated": "1.12 s"}


def test_the_bars_are_told_in_words() -> None:
    assert (
        described(SAMPLES)
        == "direct: router 10 ms, prefill 190 ms. disaggregated: router 20 ms, kv_transfer 100 ms, decode 1.00 s."
    )
