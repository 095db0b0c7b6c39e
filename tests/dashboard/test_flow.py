"""The flow picture."""

from collections.abc import Sequence

from dashboard import flow, palette
from stack.control.decision import DecisionRecord
from tests.decisions import decision, disaggregated


def links(decisions: Sequence[DecisionRecord]) -> dict[tuple[str, str], int]:
    sankey = flow.picture(decisions, "#000000").data[0]
    labels = list(sankey.node.label)
    drawn: dict[tuple[str, str], int] = {}
    for start, end, value in zip(sankey.link.source, sankey.link.target, sankey.link.value, strict=True):
        pair = labels[start], labels[end]
        drawn[pair] = drawn.get(pair, 0) + value
    return drawn


def test_an_engine_is_one_station_whichever_path_leads_there() -> None:
    assert links([decision(), disaggregated(), decision()]) == {
        ("kv_aware (3)", "direct (2)"): 2,
        ("direct (2)", "decode-0 (3)"): 2,
        ("kv_aware (3)", "dpd (1)"): 1,
        ("dpd (1)", "prefill-0 (1)"): 1,
        ("prefill-0 (1)", "decode-0 (3)"): 1,
    }


def test_a_fallback_is_a_path_of_its_own() -> None:
    assert ("kv_aware (2)", "direct, fallback (1)") in links([decision(), decision(fallbacks=("no_ready_prefill_engine",))])
    assert flow.way(decision(fallbacks=("no_ready_prefill_engine",))).colour == palette.FALLBACK


def test_what_another_gateway_carried_out_is_a_path_of_its_own() -> None:
    assert ("kv_aware (2)", "direct, observed (1)") in links([decision(), decision(observed=True)])


def test_a_request_that_no_engine_answered_ends_at_its_path() -> None:
    assert links([decision(engine="")]) == {("kv_aware (1)", "direct (1)"): 1}


def test_a_large_pool_is_its_busiest_engines_and_the_rest() -> None:
    busy = [decision(engine=f"decode-{number}") for number in range(9) for _ in range(2)]
    idle = [decision(engine=f"decode-{number}") for number in range(9, 40)]
    ends = {end for start, end in links([*busy, *idle]) if start.startswith("direct")}
    assert ends == {*(f"decode-{number} (2)" for number in range(9)), "31 other engines (31)"}


def test_no_decisions_draw_nothing() -> None:
    assert links([]) == {}
