"""Figures from plain values."""

import pandas as pd

from dashboard import charts

FRAME = pd.DataFrame(
    {
        "time": pd.to_datetime([1, 2, 1], unit="s", utc=True),
        "value": [1.0, 2.0, 5.0],
        "source": ["engine", "engine", "computed"],
    }
)


def test_a_line_for_each_label_value() -> None:
    figure = charts.lines(FRAME, ["source"], "tokens/s", "Tokens")
    assert [(trace.name, list(trace.y)) for trace in figure.data] == [("computed", [5.0]), ("engine", [1.0, 2.0])]
    assert figure.layout.yaxis.title.text == "tokens/s"


def test_no_samples_draw_no_line() -> None:
    assert len(charts.lines(FRAME.head(0), ["source"], "s", "Nothing").data) == 0


def test_the_waterfall_stacks_the_cheapest_source_first() -> None:
    assert [trace.name for trace in charts.waterfall(FRAME, "Prompt tokens").data] == ["engine", "computed"]


def test_the_flow_counts_each_station_by_its_place_on_the_way() -> None:
    ways = [["kv_aware", "direct", "decode-0"], ["kv_aware", "dpd", "prefill-0", "decode-0"], ["kv_aware", "direct", "decode-0"]]
    sankey = charts.flow(ways, "Flow").data[0]
    labels = list(sankey.node.label)
    links = {
        (labels[start], labels[end]): value
        for start, end, value in zip(sankey.link.source, sankey.link.target, sankey.link.value, strict=True)
    }
    assert links == {
        ("kv_aware", "direct"): 2,
        ("direct", "decode-0"): 2,
        ("kv_aware", "dpd"): 1,
        ("dpd", "prefill-0"): 1,
        ("prefill-0", "decode-0"): 1,
    }
