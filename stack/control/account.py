"""One decision in plain words: why this path, why this engine, and whether it came as predicted."""

from __future__ import annotations

from collections.abc import Iterator

from stack.control.decision import DecisionRecord, Selection

_WHY_PATH = {
    "dpd_disabled": "disaggregation is off",
    "below_threshold": "the prompt is shorter than the threshold",
    "at_threshold": "the prompt reaches the threshold",
    "already_cached": "a decode engine holds nearly all of the prompt already",
    "no_ready_prefill_engine": "disaggregation was due, but no prefill engine was ready",
    "pass_through": "this is no chat or completion",
}
_PATHS = {"direct": "straight to one decode engine", "dpd": "prefill, KV transfer, decode"}


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
    health, cache = _age(record.probe_age_seconds), _age(record.placement_age_seconds)
    yield f"Its health was known as of {health}, its cache as of {cache}."
    if record.observed:
        yield "Another gateway carried it out: this is what would have been done here."
        return
    yield f"Answer: status {record.status}{f', {record.error}' if record.error else ''}, {_tokens(record.output_tokens)} out."


def predictions(record: DecisionRecord) -> Iterator[tuple[str, str, str]]:
    """What was expected beside what came: name, predicted, measured."""
    for pool, chosen, cached in (
        ("prefill", record.prefill, record.prefill_cached_tokens),
        ("decode", record.decode, record.cached_tokens),
    ):
        if chosen is not None:
            yield f"cached tokens, {pool}", number(chosen.expected_cached_tokens), number(cached)
    computing = record.computing
    yield f"first token of {computing.engine}", seconds(computing.predicted_ttft_seconds), seconds(record.engine_ttft_seconds)


def parts(selection: Selection) -> tuple[str, ...]:
    """The score parts of the candidates, the one that ranks them last."""
    names = dict.fromkeys(name for candidate in selection.candidates for name in candidate.scores)
    return tuple(sorted(names, key=lambda name: name == selection.ranked_by))


def _who(selection: Selection) -> str:
    if selection.decided_by is None:
        return selection.strategy
    return f"{selection.decided_by}, in place of {selection.strategy} ({selection.fallback})"


def _age(seconds: float | None) -> str:
    return "an unknown time" if seconds is None else f"{seconds:.1f} s before"


def _tokens(count: int | None) -> str:
    return "an unknown number of tokens" if count is None else f"{count:,} tokens"


def number(value: int | None) -> str:
    """Unknown is said, never drawn as 0."""
    return "?" if value is None else f"{value:,}"


def seconds(value: float | None) -> str:
    """Unknown is said, too."""
    return "?" if value is None else f"{value:.3f} s"
