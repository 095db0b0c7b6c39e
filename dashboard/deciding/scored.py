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
_ROW_PIXELS, _HEAD_PIXELS, _LEGEND_PIXELS = 26, 64, 22
_LEGEND = {"orientation": "h", "x": 0, "y": 1.0, "yanchor": "bottom", "traceorder": "normal", "font": {"size": 11}}
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
    _unknown(figure, chosen, lambda one: "" if any(name in one.scores for name in stacked) else "not weighed")
    figure.update_layout(height=figure.layout.height + _LEGEND_PIXELS)  # its legend takes two lines
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
    figure.update_xaxes(range=(0, 1.25 * max([prompt_tokens, *(one.cached_tokens or 0 for one in chosen.candidates), 1])))
    _unknown(figure, chosen, _doubted)
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
    figure.update_xaxes(rangemode="tozero", dtick=1 if max(one.in_flight for one in chosen.candidates) < 8 else None)
    told = _words(chosen, lambda one: one.in_flight, "{:.0f} requests")
    return Bars("In flight", "Requests the router had at each candidate when it decided.", figure, told)


def _figure(chosen: Selection, suffix: str) -> go.Figure:
    figure = go.Figure()
    short = [(literal(shortened(one.engine, 18)), one.engine == chosen.engine) for one in chosen.candidates]
    names = [f"<b>{name}</b>" if is_chosen else name for name, is_chosen in short]
    figure.update_yaxes(tickvals=_places(chosen), ticktext=names, autorange="reversed", showgrid=False, automargin=True)
    figure.update_xaxes(tickformat="~s", ticksuffix=suffix, zeroline=False, automargin=True, nticks=5)
    return figure.update_layout(
        height=_HEAD_PIXELS + _ROW_PIXELS * len(chosen.candidates), barmode="stack", bargap=0.35,
        margin={"l": 0, "r": 8, "t": 28, "b": 0}, legend=_LEGEND,
        showlegend=True,
    )  # fmt: skip


def _stack(
    figure: go.Figure, chosen: Selection, name: str, colour: str, value: Callable[[Candidate], float | None], form: str
) -> None:
    values, word = [value(one) for one in chosen.candidates], literal(name)
    figure.add_bar(
        x=values, y=_places(chosen), name=word, orientation="h", marker={"color": colour}, showlegend=any(values),
        customdata=_engines(chosen), hovertemplate=f"%{{customdata}}, {word}: {form}<extra></extra>",
    )  # fmt: skip


def _unknown(figure: go.Figure, chosen: Selection, why: Callable[[Candidate], str]) -> None:
    """Written where a bar ends, or would begin: what is not known is no bar of length 0."""
    for place, one in enumerate(chosen.candidates):
        if text := why(one):
            figure.add_annotation(
                x=0.99, xref="paper", xanchor="right", y=place, text=literal(text), showarrow=False, font={"size": 11}
            )


def _doubted(one: Candidate) -> str:
    if one.cached_tokens is None:
        return amounts.UNKNOWN
    return f"at least ({', '.join(one.doubts)})" if one.doubts else ""


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
