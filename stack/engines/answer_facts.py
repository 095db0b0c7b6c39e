"""What a vLLM answer says about its own request: usage, and the figures of `--enable-per-request-metrics`."""

from __future__ import annotations

from typing import Any

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

    @property
    def ttft_s(self) -> float | None:
        """Seconds from the engine's taking the request to its first token, by its own word."""
        return None if self.queue_s is None or self.first_token_s is None else self.queue_s + self.first_token_s


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


# `metrics`: --enable-per-request-metrics. The others say where an engine's KV lies and could be sent back to it.
PRIVATE = ("metrics", "kv_transfer_params", "ec_transfer_params")
_NO_USAGE = _Usage()


class _Answer(msgspec.Struct):
    usage: _Usage | None = None
    metrics: _Metrics | None = None
    kv_transfer_params: Any = None
    ec_transfer_params: Any = None


_DECODER = msgspec.json.Decoder(_Answer)


def answer_facts(document: bytes) -> AnswerFacts:
    """The facts in one answer, or in one event of a stream. What is not there, or not what it should be, is None."""
    seen = seen_through(document)
    return NO_FACTS if seen is None else seen[0]


def seen_through(document: bytes) -> tuple[AnswerFacts, bool] | None:
    """The facts in one answer, and whether it tells anything of PRIVATE. None of what is not an answer as it should be."""
    try:
        answer = _DECODER.decode(document)
    except (msgspec.DecodeError, RecursionError):
        return None
    usage, metrics = answer.usage or _NO_USAGE, answer.metrics
    details = usage.prompt_tokens_details
    counts = usage.prompt_tokens, usage.completion_tokens, None if details is None else details.cached_tokens
    if metrics is None:
        return AnswerFacts(*counts), answer.kv_transfer_params is not None or answer.ec_transfer_params is not None
    times = metrics.queue_time_ms, metrics.time_to_first_token_ms, metrics.generation_time_ms
    return AnswerFacts(*counts, *map(_seconds, times)), True


def _seconds(milliseconds: float | None) -> float | None:
    return None if milliseconds is None else milliseconds / 1000
