"""What came of one decision, as bars: predicted beside measured, and where the request's time went."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import plotly.graph_objects as go

from dashboard import amounts, palette
from dashboard.deciding.shortened import shortened
from dashboard.picture import literal
from stack.control.decision import DecisionRecord

_ROW_PIXELS, _SPENT_PIXELS, _AXIS_PIXELS = 64, 44, 30
Pairs = Mapping[str, tuple[float | None, float | None]]
"""What was predicted and what was measured, by name; None where it is not known."""


def cached(record: DecisionRecord) -> Pairs:
    """Cached prompt tokens of each leg."""
    legs = {"decode": (record.decode, record.cached_tokens)}
    if record.prefill is not None:
        legs = {"prefill": (record.prefill, record.prefill_cached_tokens), **legs}
    return {pool: (chosen.expected_cached_tokens, measured) for pool, (chosen, measured) in legs.items()}


def first_token(record: DecisionRecord) -> Pairs:
    """Seconds to the first token of the engine that computed the prompt, from handing it the request."""
    computing = record.computing
    return {shortened(computing.engine, 18): (computing.predicted_ttft_seconds, record.engine_ttft_seconds)}


def beside(pairs: Pairs, unit: str) -> go.Figure:
    """Two bars a name; in place of a bar of what is not known stands that it is not. `unit` is seconds or tokens."""
    figure = go.Figure()
    names, places = list(pairs), [literal(name) for name in pairs]
    for number, (name, colour) in enumerate((("predicted", palette.PREDICTED), ("measured", palette.MEASURED))):
        values = [pairs[each][number] for each in names]
        figure.add_bar(
            x=[value or 0 for value in values], y=places, name=name, orientation="h", marker={"color": colour},
            text=[_written(value, unit) for value in values], textposition="outside", cliponaxis=False,
            hovertemplate=f"{name}: %{{text}}<extra></extra>",
        )  # fmt: skip
    most = max((value for pair in pairs.values() for value in pair if value is not None), default=1) or 1
    figure.update_xaxes(
        range=(0, 1.45 * most), tickformat="~s", ticksuffix="s" if unit == "seconds" else "", zeroline=False, nticks=5
    )
    figure.update_yaxes(type="category", autorange="reversed", showgrid=False, automargin=True)
    return figure.update_layout(
        height=_AXIS_PIXELS + _ROW_PIXELS * len(names), barmode="group", bargap=0.3, showlegend=False,
        margin={"l": 0, "r": 16, "t": 0, "b": _AXIS_PIXELS},
    )  # fmt: skip


def spent(record: DecisionRecord) -> go.Figure:
    """The request's phases end to end, in the order in which they came."""
    figure = go.Figure()
    for name in ordered(record.phases):
        seconds, word = record.phases[name], literal(name.replace("_", " "))
        figure.add_bar(
            x=[seconds], y=[""], name=word, orientation="h",
            marker={"color": palette.PHASES.get(name, palette.GREY)},
            hovertemplate=f"{word}: {amounts.duration(seconds)}<extra></extra>",
        )  # fmt: skip
    figure.update_xaxes(tickformat="~s", ticksuffix="s", zeroline=False, nticks=8)
    figure.update_yaxes(showticklabels=False, showgrid=False)
    return figure.update_layout(
        height=_AXIS_PIXELS + _SPENT_PIXELS, barmode="stack", bargap=0.2, showlegend=False,
        margin={"l": 8, "r": 16, "t": 0, "b": _AXIS_PIXELS},
    )  # fmt: skip


def ordered(phases: Mapping[str, float]) -> Sequence[str]:
    """The names of the phases as a request passes them; what is not known here comes last."""
    known = list(palette.PHASES)
    return sorted(phases, key=lambda name: known.index(name) if name in known else len(known))


def _written(value: float | None, unit: str) -> str:
    if value is None:
        return amounts.UNKNOWN
    return amounts.duration(value) if unit == "seconds" else f"{value:,.0f}"


def told(pairs: Pairs, unit: str) -> str:
    """The same in words."""
    return "; ".join(
        f"{name}: predicted {_written(one, unit)}, measured {_written(two, unit)}" for name, (one, two) in pairs.items()
    )
