"""A figure from plain values, as the browser gets it."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

import plotly.graph_objects as go
import plotly.io
from plotly.basedatatypes import BaseFigure

Trace = dict[str, Any]


def literal(text: str) -> str:
    """`text` in a figure as it is: plotly would take tags and entities in it for markup, and what looks like a template for one."""
    return escape(text, quote=False).replace("%{", "&#37;{")


class Picture(BaseFigure):  # type: ignore[misc]  # plotly ships no types
    """Traces and a layout in plotly's own words, for `st.plotly_chart`.

    Plotly's figures check and copy every property whenever one is set, which takes ten times as long as all the rest of a
    chart, and a page draws six of them every few seconds for each who looks. Here nothing is checked: tests do, by `data` and
    `layout`.
    """

    def __init__(self, traces: Sequence[Trace], layout: Mapping[str, Any]) -> None:
        """Plotly's own initialisation is what is to be saved."""
        self._traces, self._plain = list(traces), dict(layout)

    def to_dict(self) -> dict[str, Any]:
        """What is sent."""
        return {"data": self._traces, "layout": {"template": _template(), **self._plain}}

    def with_parts(self, traces: Sequence[Trace], **layout: Any) -> Picture:
        """The same with more; lists of the layout, such as its shapes, go on."""
        longer = {name: [*self._plain.get(name, ()), *value] for name, value in layout.items() if isinstance(value, list)}
        return Picture([*self._traces, *traces], {**self._plain, **layout, **longer})

    @property
    def data(self) -> Any:
        """The traces as plotly's own objects. Raises ValueError for what plotly does not know."""
        return go.Figure(self.to_dict()).data

    @property
    def layout(self) -> Any:
        """The layout as plotly's own object. Raises ValueError for what plotly does not know."""
        return go.Figure(self.to_dict()).layout


@functools.cache
def _template() -> dict[str, Any]:
    """The look of figures by default, which is Streamlit's: its page knows the template's colours and puts in the theme's."""
    import streamlit.elements.plotly_chart  # noqa: F401  # it sets the default

    return dict(plotly.io.templates[plotly.io.templates.default].to_plotly_json())
