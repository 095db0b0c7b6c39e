"""What the browser gets of a figure, and that it is what plotly knows."""

from __future__ import annotations

import json

import plotly.io
import pytest
from streamlit.testing.v1 import AppTest

from dashboard.picture import Picture, literal

LINE = {"type": "scatter", "x": ["2026-11-30T15:00:00"], "y": [1.0], "name": "decode"}


def test_a_picture_is_sent_as_it_is_with_the_theme_that_figures_have_by_default() -> None:
    sent = Picture([LINE], {"height": 270}).to_dict()
    theme = plotly.io.templates[plotly.io.templates.default].to_plotly_json()
    assert sent == {"data": [LINE], "layout": {"template": theme, "height": 270}}


def test_more_parts_make_another_picture() -> None:
    before = Picture([LINE], {"height": 270})
    after = before.with_parts([LINE], shapes=[{"type": "line"}])
    assert (len(before.data), len(after.data), len(after.layout.shapes)) == (1, 2, 1)


def test_what_plotly_does_not_know_is_found_by_looking_at_it() -> None:
    with pytest.raises(ValueError, match="hight"):
        _ = Picture([LINE], {"hight": 270}).layout
    with pytest.raises(ValueError, match="scattered"):
        _ = Picture([{**LINE, "type": "scattered"}], {}).data


def test_streamlit_takes_it_for_a_figure() -> None:
    def page() -> None:
        import streamlit as st

        from dashboard.picture import Picture

        st.plotly_chart(Picture([{"type": "bar", "x": [1], "y": [2]}], {"height": 100}), key="bars")

    session = AppTest.from_function(page).run()
    assert not session.exception
    (chart,) = session.get("plotly_chart")
    assert json.loads(chart.proto.spec)["data"] == [{"type": "bar", "x": [1], "y": [2]}]


@pytest.mark.parametrize(
    ("name", "drawn"),
    [("decode-0", "decode-0"), ("<b>a</b> &lt;", "&lt;b&gt;a&lt;/b&gt; &amp;lt;"), ("%{y} 5%", "&#37;{y} 5%")],
)
def test_a_name_is_neither_a_tag_nor_a_template_in_a_figure(name: str, drawn: str) -> None:
    assert literal(name) == drawn
