"""One decision in plain words: why this path, why this engine, and whether it came as predicted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from stack.control.decision import Candidate, DecisionRecord, Selection

_WHY_PATH = {
    "dpd_disabled": "disaggregation is off",
    "below_threshold": "the prompt is shorter than the threshold",
    "at_threshold": "the prompt reaches the threshold",
    "already_cached": "a decode engine holds nearly all of the prompt already",
    "no_ready_prefill_engine": "disaggregation was due, but no prefill engine was ready",
    "pass_through": "this is no chat or completion",
}
_PATHS = {"direct": "straight to one decode engine", "dpd": "prefill, KV transfer, decode"}


def explanation(record: DecisionRecord) -> Iterator[RenderableType]:
    """`kvdeck ctl decision`."""
    at = datetime.fromtimestamp(record.at).astimezone()
    yield Text(f"{record.request_id}: {record.model}, {at:%Y-%m-%d %H:%M:%S}, generation {record.generation}", "bold")
    yield from (Text(line) for line in sentences(record))
    for pool, chosen in (("prefill", record.prefill), ("decode", record.decode)):
        if chosen is not None:
            yield _candidates(pool, chosen)
    yield _expectations(record)
    if record.shadows:
        yield _shadows(record)
    if record.phases:
        yield Text("time: " + ", ".join(f"{name} {_seconds(value)}" for name, value in record.phases.items()))


def sentences(record: DecisionRecord) -> Iterator[str]:
    """What was decided and why, a sentence each."""
    tokens = f"{record.prompt_tokens:,}" if record.tokens_exact else f"about {record.prompt_tokens:,}"
    why = _WHY_PATH.get(record.path_reason, record.path_reason)
    numbers = f" ({record.compared})" if record.compared else ""
    yield f"Path: {_PATHS.get(record.path, record.path)}, for a prompt of {tokens} tokens: {why}{numbers}."
    for pool, chosen in (("Prefill", record.prefill), ("Decode", record.decode)):
        if chosen is not None:
            yield f"{pool}: {chosen.engine} by {_who(chosen)}: {chosen.reason}."
    answered = [name for name in (record.prefill_engine, record.engine) if name]
    chosen_engines = [one.engine for one in (record.prefill, record.decode) if one is not None]
    if answered != chosen_engines:
        yield f"It went otherwise: {' > '.join(answered)} answered."
    if record.fallbacks:
        yield f"Not as configured: {', '.join(record.fallbacks)}."
    if record.regret_tokens:
        yield f"Another candidate was believed to hold {record.regret_tokens:,} more tokens of the prompt."
    if record.unknown_placement:
        yield f"Where the prompt's KV lies was not known: {record.unknown_placement}."
    yield f"Known {_age(record.probe_age_seconds)} of its health, {_age(record.placement_age_seconds)} of its cache."
    yield f"Answer: status {record.status}{f', {record.error}' if record.error else ''}, {_tokens(record.output_tokens)} out."


def predictions(record: DecisionRecord) -> Iterator[tuple[str, str, str]]:
    """What was expected beside what came: name, predicted, measured."""
    for pool, chosen, cached in (
        ("prefill", record.prefill, record.prefill_cached_tokens),
        ("decode", record.decode, record.cached_tokens),
    ):
        if chosen is not None:
            yield f"cached tokens, {pool}", _number(chosen.expected_cached_tokens), _number(cached)
    computing = record.computing
    yield f"first token of {computing.engine}", _seconds(computing.predicted_ttft_seconds), _seconds(record.engine_ttft_seconds)


def parts(selection: Selection) -> tuple[str, ...]:
    """The score parts of the candidates, the one that ranks them last."""
    names = dict.fromkeys(name for candidate in selection.candidates for name in candidate.scores)
    return tuple(sorted(names, key=lambda name: name == selection.ranked_by))


def _candidates(pool: str, selection: Selection) -> Table:
    names = parts(selection)
    title = f"{pool} candidates" + (f", best first by {selection.ranked_by}" if selection.ranked_by else ", least loaded first")
    table = Table(title=title, title_justify="left", title_style="bold")
    for column in ("", "engine", "in flight", "cached", *names):
        table.add_column(column, justify="left" if column in ("", "engine") else "right")
    for candidate in selection.candidates:
        table.add_row(*(Text(cell) for cell in _row(candidate, selection, names)))
    if selection.omitted:
        table.caption = f"and {selection.omitted} others"
    return table


def _row(candidate: Candidate, selection: Selection, names: Sequence[str]) -> Iterator[str]:
    yield ">" if candidate.engine == selection.engine else ""
    yield candidate.engine
    yield str(candidate.in_flight)
    yield _number(candidate.cached_tokens)
    for name in names:
        yield f"{candidate.scores[name]:,.6g}" if name in candidate.scores else "?"


def _expectations(record: DecisionRecord) -> Table:
    table = Table(title="as predicted?", title_justify="left", title_style="bold")
    for column in ("", "predicted", "measured"):
        table.add_column(column, justify="right" if column else "left")
    for row in predictions(record):
        table.add_row(*map(Text, row))
    return table


def _shadows(record: DecisionRecord) -> Table:
    table = Table(title="what others would have done", title_justify="left", title_style="bold")
    for column in ("strategy", "engine", "because", "more cached", "sooner"):
        table.add_column(column, justify="left" if column in ("strategy", "engine", "because") else "right")
    for shadow in record.shadows:
        engine = "the same" if shadow.agrees else shadow.engine
        table.add_row(
            *map(Text, (shadow.strategy, engine, shadow.reason, _number(shadow.gained_tokens), _seconds(shadow.gained_seconds)))
        )
    return table


def _who(selection: Selection) -> str:
    if selection.decided_by is None:
        return selection.strategy
    return f"{selection.decided_by}, in place of {selection.strategy} ({selection.fallback})"


def _age(seconds: float | None) -> str:
    return "nobody knows since when" if seconds is None else f"{seconds:.1f} s before"


def _tokens(count: int | None) -> str:
    return "an unknown number of tokens" if count is None else f"{count:,} tokens"


def _number(value: int | None) -> str:
    """Unknown is said, never drawn as 0."""
    return "?" if value is None else f"{value:,}"


def _seconds(value: float | None) -> str:
    return "?" if value is None else f"{value:.3f} s"
