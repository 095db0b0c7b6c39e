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


def test_of_several_models_each_has_bars_of_its_own() -> None:
    both = [
        Sample({**sample.labels, "model_name": model}, sample.value * factor, 0.0)
        for model, factor in (("a", 1.0), ("b", 2.0))
        for sample in SAMPLES
    ]
    router = next(trace for trace in bars(both).data if trace.name == "router")
    assert dict(zip(router.y, router.x, strict=True)) == {
        "a direct": 0.01, "a disaggregated": 0.02, "b direct": 0.02, "b disaggregated": 0.04,
    }  # fmt: skip


def test_of_many_models_those_are_drawn_that_take_longest() -> None:
    many = [Sample({"model_name": f"m{number:02}", "path": "direct", "phase": "decode"}, 1.0 + number, 0.0) for number in range(20)]
    (decode,) = bars(many).data
    assert (len(decode.y), decode.y[0], decode.y[-1]) == (12, "m08 direct", "m19 direct")


def test_a_model_that_is_named_like_a_date_has_its_name_beside_its_bars() -> None:
    assert bars(SAMPLES).layout.yaxis.type == "category"
