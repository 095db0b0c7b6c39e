"""What a vLLM answer says about its own request: usage, and the figures of `--enable-per-request-metrics`."""

from __future__ import annotations

import msgspec


class AnswerFacts(msgspec.Struct, frozen=True, gc=False):
    """Token counts and seconds; None where the engine did not say.

    `cached_tokens` were not computed by this engine: its own cache, the tiers or a prefill peer had them. `queue_s`
    ends when the request is scheduled, `first_token_s` counts from there, `generation_s` from the first token to the last.
    """

    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cached_tokens: int | None = None
    queue_s: float | None = None
    first_token_s: float | None = None
    generation_s: float | None = None


NO_FACTS = AnswerFacts()


class _Details(msgspec.Struct):
    cached_tokens: int | None = None


class _Usage(msgspec.Struct):
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    prompt_tokens_details: _Details | None = None


class _Metrics(msgspec.Struct):
    queue_time_ms: float | None = None
    time_to_first_token_ms: float | None = None
    generation_time_ms: float | None = None


class _Answer(msgspec.Struct):
    usage: _Usage | None = None
    metrics: _Metrics | None = None


_DECODER = msgspec.json.Decoder(_Answer)


def answer_facts(document: bytes) -> AnswerFacts:
    """The facts in one answer, or in one event of a stream. What is not there, or not what it should be, is None."""
    try:
        answer = _DECODER.decode(document)
    except (msgspec.DecodeError, RecursionError):
        return NO_FACTS
    usage = answer.usage or _Usage()
    metrics = answer.metrics or _Metrics()
    return AnswerFacts(
        prompt_tokens=usage.prompt_tokens,
        completion_tokens=usage.completion_tokens,
        cached_tokens=usage.prompt_tokens_details.cached_tokens if usage.prompt_tokens_details else None,
        queue_s=_seconds(metrics.queue_time_ms),
        first_token_s=_seconds(metrics.time_to_first_token_ms),
        generation_s=_seconds(metrics.generation_time_ms),
    )


def _seconds(milliseconds: float | None) -> float | None:
    return None if milliseconds is None else milliseconds / 1000
