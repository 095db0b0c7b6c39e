"""Figures as tiles, in lines that they fill: each says what it means, in which unit, from where and as of when."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

import streamlit as st

from dashboard.figures import Figure
from dashboard.wording import plain

_MOST = 8  # on a line of a page 1280 pixels wide


def draw(figures: Iterable[Figure], source: Callable[[Figure], str], most: int = _MOST) -> None:
    """At most so many on a line; `source` says where a figure is from, and its age."""
    for line in lines(list(figures), most):
        with st.container(horizontal=True):
            for one in line:
                about = f"{one.help}\n\n{source(one)}"
                st.metric(plain(one.title), one.value, one.beside, delta_color="off", delta_arrow="off", help=about)


def lines(figures: Sequence[Figure], most: int) -> Iterator[Sequence[Figure]]:
    """In as few lines as hold them, of which none is left nearly empty."""
    rows = -(-len(figures) // most)
    for row in range(rows):
        yield figures[len(figures) * row // rows : len(figures) * (row + 1) // rows]
