"""The flow picture."""

from __future__ import annotations

from collections.abc import Sequence

from dashboard import palette
from dashboard.deciding import flow
from dashboard.deciding.flow import Way
from dashboard.promapi import Sample
from stack.control.decision import DecisionRecord
from tests.decisions import decision, disaggregated


def drawn(ways: Sequence[Way]) -> dict[tuple[str, str], float]:
    sankey = flow.picture(ways, "#000000").data[0]
    labels = list(sankey.node.label)
    found: dict[tuple[str, str], float] = {}
    for start, end, value in zip(sankey.link.source, sankey.link.target, sankey.link.value, strict=True):
        pair = labels[start], labels[end]
        found[pair] = found.get(pair, 0) + value
    return found


def links(decisions: Sequence[DecisionRecord]) -> dict[tuple[str, str], float]:
    return drawn(flow.ways(decisions))


def test_an_engine_is_one_station_whichever_path_leads_there() -> None:
    assert links([decision(), disaggregated(), decision()]) == {
        ("kv_aware (3)", "direct (2)"): 2,
        ("direct (2)", "decode-0 (3)"): 2,
        ("kv_aware (3)", "dpd (1)"): 1,
        ("dpd (1)", "prefill-0 (1)"): 1,
        ("prefill-0 (1)", "decode-0 (3)"): 1,
    }


def test_several_models_are_told_apart_and_one_is_not_named() -> None:
    assert links([decision(), decision(model="other", engine="other-0")]) == {
        ("other (1)", "kv_aware (2)"): 1,
        ("smollm2 (1)", "kv_aware (2)"): 1,
        ("kv_aware (2)", "direct (2)"): 2,
        ("direct (2)", "other-0 (1)"): 1,
        ("direct (2)", "decode-0 (1)"): 1,
    }


def test_a_fallback_is_a_path_of_its_own() -> None:
    fallen = decision(fallbacks=("no_ready_prefill_engine",))
    assert ("kv_aware (2)", "direct, fallback (1)") in links([decision(), fallen])
    assert flow.ways([fallen])[0].colour == palette.FALLBACK


def test_what_another_gateway_carried_out_is_a_path_of_its_own_and_grey() -> None:
    assert ("kv_aware (2)", "direct, observed (1)") in links([decision(), decision(observed=True)])
    assert flow.ways([decision(observed=True)])[0].colour == palette.GREY


def test_a_request_that_no_engine_answered_ends_at_its_path() -> None:
    assert links([decision(engine="")]) == {("kv_aware (1)", "direct (1)"): 1}


def test_a_large_pool_is_its_busiest_engines_and_the_rest() -> None:
    busy = [decision(engine=f"decode-{number}") for number in range(7) for _ in range(2)]
    idle = [decision(engine=f"decode-{number}") for number in range(7, 40)]
    ends = {end for start, end in links([*busy, *idle]) if start.startswith("direct")}
    assert ends == {*(f"decode-{number} (2)" for number in range(7)), "33 others (33)"}


def test_long_names_are_shortened_and_whole_where_one_points() -> None:
    node = flow.picture(flow.ways([decision(engine="vllm-llama-8b-decode-7d9f8b6c5d-x2x9k")]), "#000000").data[0].node
    assert node.label[2] == "vllm…c5d-x2x9k (1)"
    assert node.customdata[2] == "vllm-llama-8b-decode-7d9f8b6c5d-x2x9k"


def test_the_picture_is_as_wide_as_the_words_of_its_last_two_columns_need() -> None:
    def width(*decisions: DecisionRecord) -> float:
        made: float = flow.picture(flow.ways(decisions), "#000000").layout.width
        return made

    short, long = "decode-0", "vllm-llama-8b-decode-7d9f8b6c5d-x2x9k"
    assert width(decision(engine=short)) < width(decision(engine=long)) < width(disaggregated(engine=long))
    assert width(disaggregated(engine=long, prefill_engine=long)) < 1130  # what a window of 1280 has for it
    assert width(disaggregated(engine=long, prefill_engine=long), decision(model="other")) < 1130


def test_counters_draw_the_same_without_prefill_engines() -> None:
    labels = {"model_name": "m", "strategy": "kv_aware", "backend": "decode-0"}
    samples = [Sample({**labels, "path": "direct"}, 2.5, 0.0), Sample({**labels, "path": "dpd"}, 0.0, 0.0)]
    assert drawn(flow.counted(samples)) == {("kv_aware (2)", "direct (2)"): 2.5, ("direct (2)", "decode-0 (2)"): 2.5}


def test_counted_engines_of_one_name_in_two_clusters_are_two_stations() -> None:
    labels = {"model_name": "m", "strategy": "session", "path": "direct", "backend": "decode-0"}
    both = [Sample({**labels, "cluster": name}, value, 0.0) for name, value in (("east", 2.0), ("west", 5.0))]
    assert flow.told(flow.counted(both)) == ("session to direct to west / decode-0: 5; session to direct to east / decode-0: 2")


def test_the_picture_is_told_in_words() -> None:
    assert flow.told(flow.ways([decision(), decision(), disaggregated()])) == (
        "kv_aware to direct to decode-0: 2; kv_aware to dpd to prefill-0 to decode-0: 1"
    )


def test_the_picture_is_a_table_as_well() -> None:
    rows = flow.table(flow.ways([decision(), disaggregated(), decision()]))
    assert rows.columns.tolist() == ["strategy", "path", "prefill", "decode", "requests"]
    assert rows.fillna("").values.tolist() == [
        ["kv_aware", "direct", "", "decode-0", 2],
        ["kv_aware", "dpd", "prefill-0", "decode-0", 1],
    ]


def test_no_decisions_draw_nothing() -> None:
    assert links([]) == {}
