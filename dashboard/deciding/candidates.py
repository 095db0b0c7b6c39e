"""The candidates of one choice as bars: what a prompt would have waited for, what it would have found, how busy they were."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import pandas as pd
import plotly.graph_objects as go

from dashboard import amounts, palette
from dashboard.deciding.shortened import shortened
from dashboard.picture import literal
from dashboard.wording import code
from stack.control.account import parts
from stack.control.decision import Candidate, Selection
from stack.model.tier import Source

_CHOSEN = "\N{BLACK RIGHT-POINTING TRIANGLE}"
_ROW_PIXELS, _AXIS_PIXELS = 26, 30
_ROOM = 1.4  # beside the longest bar, for what is written there
_SECONDS, _TOKENS, _WHOLE = "_s", "_tokens", "ttft_s"
_WAITS = {"overhead_s": "overhead", "queue_s": "queue", "compute_s": "compute", "load_s": "load"}
_HELD = {"engine_tokens": Source.ENGINE, "l1_tokens": Source.L1, "l2_tokens": Source.L2}


@dataclass(frozen=True, slots=True)
class Bars:
    """One figure of the candidates; `told` are its bars in words."""

    title: str
    help: str
    figure: go.Figure
    told: str


def bars(chosen: Selection, prompt_tokens: int) -> list[Bars]:
    """The figures that the candidates' score parts make, of `prompt_tokens` to be computed; at least how busy they were."""
    made = [_waits(chosen), _found(chosen, prompt_tokens), _busy(chosen)]
    return [one for one in made if one is not None]


def table(chosen: Selection) -> pd.DataFrame:
    """Every candidate with its score parts; what is not known is no value."""
    names = parts(chosen)
    return pd.DataFrame(
        {
            "": _CHOSEN if one.engine == chosen.engine else "",
            "engine": one.engine,
            "in flight": one.in_flight,
            "cached tokens": one.cached_tokens,
            **{name: one.scores.get(name) for name in names},
            **({"not known": ", ".join(one.doubts)} if one.doubts else {}),
        }
        for one in chosen.candidates
    )


def _waits(chosen: Selection) -> Bars | None:
    names = [name for name in parts(chosen) if name.endswith(_SECONDS)]
    stacked = [name for name in names if name not in (_WHOLE, chosen.ranked_by)]
    if not stacked:
        return None
    figure = _figure(chosen, "s")
    for number, name in enumerate(stacked):
        colour = palette.WAITS.get(name) or palette.stroke((), number).colour
        word = _WAITS.get(name, name.removesuffix(_SECONDS))
        _stack(figure, chosen, word, colour, lambda one, name=name: one.scores.get(name), "%{x:.3~s}s")  # type: ignore[misc]
    ranking = chosen.ranked_by
    if ranking is not None and ranking in names and ranking != _WHOLE:
        figure.add_scatter(
            x=[one.scores.get(ranking) for one in chosen.candidates], y=_places(chosen), mode="markers", name="ranked by",
            marker={"symbol": "diamond", "size": 9, "color": palette.MARK}, customdata=_engines(chosen),
            hovertemplate=f"%{{customdata}}, {literal(ranking)}: %{{x:.3~s}}s<extra></extra>",
        )  # fmt: skip
    for place, one in enumerate(chosen.candidates):
        if _sum(one, stacked) is None:
            _note(figure, place, 0, "not weighed")
    told = _words(chosen, lambda one: _sum(one, stacked), "{:.3f} s")
    text = "Predicted wait for the first token at each candidate, by what it goes to, in seconds."
    more = f" They are ranked by {code(ranking)}, the smallest first." if ranking else ""
    return Bars("Predicted first token", text + more, figure, told)


def _found(chosen: Selection, prompt_tokens: int) -> Bars | None:
    if all(one.cached_tokens is None for one in chosen.candidates):
        return None
    figure = _figure(chosen, "")
    tiers = {name: source for name, source in _HELD.items() if any(name in one.scores for one in chosen.candidates)}
    for name, source in tiers.items():
        colour = palette.SOURCES[source]
        _stack(figure, chosen, source.value, colour, lambda one, name=name: one.scores.get(name), "%{x:,.0f} tokens")  # type: ignore[misc]
    if not tiers:
        _stack(figure, chosen, "cached", palette.SOURCES[Source.ENGINE], lambda one: one.cached_tokens, "%{x:,.0f} tokens")
    figure.add_vline(x=prompt_tokens, line={"color": palette.GREY, "dash": "dot", "width": 1})
    figure.update_xaxes(range=(0, _ROOM * max([prompt_tokens, *(one.cached_tokens or 0 for one in chosen.candidates), 1])))
    for place, one in enumerate(chosen.candidates):
        if one.cached_tokens is None:
            _note(figure, place, 0, amounts.UNKNOWN)
        elif one.doubts:
            _note(figure, place, one.cached_tokens, "at least", f"not known: {', '.join(one.doubts)}")
    told = _words(chosen, lambda one: one.cached_tokens, "{:,.0f} tokens")
    text = "Prompt tokens that each candidate was believed to hold, by tier. The dotted line is the whole prompt."
    return Bars("Believed cached tokens", text, figure, told)


def _busy(chosen: Selection) -> Bars:
    figure = _figure(chosen, "")
    _stack(figure, chosen, "in flight", palette.SOURCES[Source.L1], lambda one: one.in_flight, "%{x} requests")
    figure.update_traces(text=[one.in_flight for one in chosen.candidates], textposition="outside", cliponaxis=False)
    capacity = [one.scores.get("capacity") for one in chosen.candidates]
    if any(value is not None for value in capacity):
        figure.add_scatter(
            x=capacity, y=_places(chosen), mode="markers", name="full at",
            marker={"symbol": "line-ns-open", "size": 12, "color": palette.MARK}, hovertemplate="full at %{x}<extra></extra>",
        )  # fmt: skip
    most = max(one.in_flight for one in chosen.candidates), *(value for value in capacity if value is not None)
    figure.update_xaxes(rangemode="tozero", dtick=1 if max(most) < 8 else None)
    told = _words(chosen, lambda one: one.in_flight, "{:.0f} requests")
    return Bars("In flight", "Requests the router had at each candidate when it decided.", figure, told)


def _figure(chosen: Selection, suffix: str) -> go.Figure:
    figure = go.Figure()
    short = [(literal(shortened(one.engine, 18)), one.engine == chosen.engine) for one in chosen.candidates]
    names = [f"<b>{name}</b>" if is_chosen else name for name, is_chosen in short]
    bounds = (len(names) - 0.5, -0.5)  # the same in each figure, so that a candidate's bars are at one height
    figure.update_yaxes(tickvals=_places(chosen), ticktext=names, range=bounds, showgrid=False, zeroline=False, automargin=True)
    figure.update_xaxes(tickformat="~s", ticksuffix=suffix, zeroline=False, nticks=5)
    return figure.update_layout(
        height=_AXIS_PIXELS + _ROW_PIXELS * len(chosen.candidates), barmode="stack", bargap=0.35,
        showlegend=False, margin={"l": 0, "r": 16, "t": 0, "b": _AXIS_PIXELS},
    )  # fmt: skip


def _stack(
    figure: go.Figure, chosen: Selection, name: str, colour: str, value: Callable[[Candidate], float | None], form: str
) -> None:
    values, word = [value(one) for one in chosen.candidates], literal(name)
    figure.add_bar(
        x=values, y=_places(chosen), name=word, orientation="h", marker={"color": colour}, showlegend=any(values),
        customdata=_engines(chosen), hovertemplate=f"%{{customdata}}, {word}: {form}<extra></extra>",
    )  # fmt: skip


def _note(figure: go.Figure, place: int, at: float, text: str, more: str = "") -> None:
    """Written where a bar ends, or would begin: what is not known is no bar of length 0. `more` is told to who points at it."""
    figure.add_annotation(
        x=at, xanchor="left", xshift=2, y=place, text=text, hovertext=literal(more) or None, showarrow=False, font={"size": 11}
    )  # fmt: skip


def _engines(chosen: Selection) -> list[str]:
    return [literal(one.engine) for one in chosen.candidates]


def _places(chosen: Selection) -> list[int]:
    return list(range(len(chosen.candidates)))


def _sum(one: Candidate, names: Sequence[str]) -> float | None:
    known = [one.scores[name] for name in names if name in one.scores]
    return sum(known) if known else None


def _words(chosen: Selection, value: Callable[[Candidate], float | None], form: str) -> str:
    found = ((one.engine, value(one)) for one in chosen.candidates)
    return "; ".join(f"{engine} {amounts.number(number, form)}" for engine, number in found)
