"""What colours mean, above a picture."""

from __future__ import annotations

from streamlit.testing.v1 import AppTest


def _page() -> None:
    import plotly.graph_objects as go

    from dashboard import legend

    figure = go.Figure()
    figure.add_bar(name="queue &lt; more", x=[1], marker={"color": "#e0a100"})
    figure.add_bar(name="load", x=[0], marker={"color": "#4f6df5"}, showlegend=False)
    figure.add_scatter(name="ranked by", x=[1], marker={"symbol": "diamond", "color": "#d6336c"})
    legend.above(figure)


def test_every_trace_that_has_a_bar_has_its_sign_in_its_colour_and_its_word() -> None:
    (written,) = AppTest.from_function(_page).run().get("html")
    body = written.proto.body
    assert 'color: #e0a100; font-size: 1rem">■</span> queue &lt; more' in body
    assert 'color: #d6336c; font-size: 1rem">◆</span> ranked by' in body
    assert "load" not in body
