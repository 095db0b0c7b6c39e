"""What came of a decision."""

from __future__ import annotations

from dashboard.deciding import outcome
from stack.control.decision import Selection
from tests.decisions import decision, disaggregated


def test_both_legs_are_held_against_what_was_predicted() -> None:
    record = disaggregated(cached_tokens=1500, prefill_cached_tokens=None)
    assert outcome.cached(record) == {"prefill": (None, None), "decode": (None, 1500)}
    assert outcome.told(outcome.cached(record), "tokens") == (
        "prefill: predicted unknown, measured unknown; decode: predicted unknown, measured 1,500"
    )


def test_what_is_not_known_has_no_bar_but_says_so() -> None:
    chosen = Selection(strategy="kv_aware", engine="decode-0", reason="most_cached", predicted_ttft_seconds=0.25)
    figure = outcome.beside(outcome.first_token(decision(decode=chosen)), "seconds")
    assert {trace.name: (list(trace.y), list(trace.x), list(trace.text)) for trace in figure.data} == {
        "predicted": (["decode-0"], [0.25], ["250 ms"]),
        "measured": (["decode-0"], [0], ["unknown"]),
    }


def test_phases_lie_end_to_end_as_a_request_passes_them() -> None:
    record = decision(phases={"decode": 0.2, "router": 0.001, "prefill": 0.05, "new": 0.1})
    assert [(trace.name, list(trace.x)) for trace in outcome.spent(record).data] == [
        ("router", [0.001]), ("prefill", [0.05]), ("decode", [0.2]), ("new", [0.1]),
    ]  # fmt: skip


def test_an_engine_that_is_named_like_a_number_has_its_name_beside_its_bars() -> None:
    assert outcome.beside({"7": (1.0, 2.0)}, "seconds").layout.yaxis.type == "category"
