"""The frame that a chart over time is drawn in: its size, its legend, its axes with their unit."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from dashboard import amounts

HEIGHT = 270

# Pixels beside the axes. Left to find them by itself, plotly draws a chart twice, and each starts at another place.
_LABELS = 58  # 0.00015, 1000000, 999.9kB/s
_TITLE = 22
_LINE, _GAP = 16, 14
_HALF_A_DAY = timedelta(hours=12)


@dataclass(frozen=True, slots=True)
class Scale:
    """How a unit is written: plotly's tick and hover formats, a suffix, the axis' title, and its range where it has one.

    Values are drawn `times` as large as they are told.
    """

    ticks: str
    hover: str
    suffix: str = ""
    title: str = ""
    range: tuple[float, float] | None = None
    times: float = 1


# d3's SI prefixes make 0.012 with the suffix s into 12ms.
_SCALES = {
    "seconds": Scale("~s", ".3~s", "s"),
    "bytes": Scale("~s", ".3~s", "B"),
    "bytes/s": Scale("~s", ".3~s", "B/s"),
    "ratio": Scale("~g", ".1f", " %", range=(0, 102), times=100),  # a line at 100 % is not cut in half
}


def scale(unit: str) -> Scale:
    """The scale of a query's unit; counts and rates are written plainly, with the unit beside the axis."""
    return _SCALES.get(unit, Scale("~g", ".3~g", title=unit))


def layout(unit: str, start: datetime, end: datetime, **legend: str) -> dict[str, Any]:
    """The layout of a chart of `unit` from `start` to `end`, in plotly's words."""
    # Plotly writes a time's digits as they are: the caller has brought them into the reader's zone, and the range with them.
    # Below the hours stands the day, where it changes and there are several.
    long = end - start >= _HALF_A_DAY
    ticks, hover = ("%H:%M\n%b %d", "%b %d, %H:%M:%S") if long else ("%H:%M", "%H:%M:%S")
    form = scale(unit)
    return {
        "height": HEIGHT,
        "margin": {"l": _LABELS + (_TITLE if form.title else 0), "r": 8, "t": 32, "b": _LINE * (2 if long else 1) + _GAP},
        "legend": {"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom", **legend},
        "showlegend": True,
        "hovermode": "x unified",
        "uirevision": unit,  # another size or theme keeps the reader's zoom and hidden lines
        "xaxis": {"range": [digits(start), digits(end)], "tickformat": ticks, "hoverformat": hover, "automargin": False},
        "yaxis": _values(form),
    }


def per_cent(parts: int) -> dict[str, Any]:
    """The ticks of an axis of shares that begins at 0 and ends at 1, in so many parts."""
    ticks = [part / parts for part in range(parts + 1)]
    return {"tickvals": ticks, "ticktext": [amounts.percent(tick) for tick in ticks]}


def digits(at: datetime) -> str:
    """A moment as it is written where it is."""
    return at.replace(tzinfo=None).isoformat()


def _values(form: Scale) -> dict[str, Any]:
    bounds = {"range": list(form.range)} if form.range else {"rangemode": "tozero"}
    title = {"title": {"text": form.title}} if form.title else {}
    texts = {"tickformat": form.ticks, "hoverformat": form.hover, "ticksuffix": form.suffix}
    return bounds | title | texts | {"automargin": False, "minallowed": 0}
