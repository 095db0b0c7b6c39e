"""What the colours of a picture of few rows mean, in words above it: there they wrap, and take no room from its bars."""

from __future__ import annotations

from html import escape, unescape
from typing import Any

import plotly.graph_objects as go
import streamlit as st

_SIGNS = {"diamond": "\N{BLACK DIAMOND}", "line-ns-open": "\N{LIGHT VERTICAL BAR}"}
_SQUARE = "\N{BLACK SQUARE}"


def above(figure: go.Figure) -> None:
    """Write it, of every trace that is to have a word: as it is, where plotly was told that it is no markup, too."""
    words = "".join(_word(trace) for trace in figure.data if trace.showlegend is not False)
    st.html(f'<div style="display: flex; flex-wrap: wrap; column-gap: 0.8rem; font-size: 0.75rem">{words}</div>')


def _word(trace: Any) -> str:
    sign = _SIGNS.get(trace.marker.symbol, _SQUARE) if trace.type == "scatter" else _SQUARE
    style = f"color: {trace.marker.color}; font-size: 1rem"
    return f'<span><span aria-hidden="true" style="{style}">{sign}</span> {escape(unescape(trace.name))}</span>'
