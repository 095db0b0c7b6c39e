"""Answers of an emulated engine: whole, or as server-sent events, with vLLM's fields where vLLM 0.32 has them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import msgspec

from stack.emulator.sequence import Sequence

FINGERPRINT = "emulated"
DONE = b"data: [DONE]\n\n"

_Fields = dict[str, object]


@dataclass(frozen=True, slots=True)
class Head:
    """What every message of one answer repeats. `reported_cached` is what the prefill side said, if it did."""

    answer_id: str
    model: str
    created: int
    chat: bool
    reported_cached: int | None = None


def reported_cached(transfer: Mapping[str, object] | None) -> int | None:
    """A decode engine repeats the prefill's count of cached tokens, whatever it had itself."""
    if not transfer or not transfer.get("do_remote_prefill"):
        return None
    cached = transfer.get("remote_prefill_cached_tokens")
    return cached if isinstance(cached, int) else None


def usage(head: Head, sequence: Sequence) -> _Fields:
    """Token counts. Cached is what was not computed here: the engine's, the tiers' and a peer's."""
    cached = sequence.origin.device + sequence.origin.external
    prompt, generated = len(sequence.prompt), sequence.generated
    return {
        "prompt_tokens": prompt,
        "total_tokens": prompt + generated,
        "completion_tokens": generated,
        "prompt_tokens_details": {"cached_tokens": cached if head.reported_cached is None else head.reported_cached},
    }


def metrics(sequence: Sequence) -> _Fields:
    """vLLM's per-request metrics; its time to first token counts from the moment the request was scheduled."""
    times = sequence.times
    if times.scheduled is None or times.first_token is None or times.last_token is None:
        return {}
    generation = times.last_token - times.first_token
    inference = times.last_token - times.scheduled
    fields: _Fields = {
        "time_to_first_token_ms": (times.first_token - times.scheduled) * 1000,
        "generation_time_ms": generation * 1000,
        "queue_time_ms": (times.scheduled - times.arrived) * 1000,
    }
    if sequence.generated > 1:
        fields["mean_itl_ms"] = generation / (sequence.generated - 1) * 1000
    if inference > 0:
        fields["tokens_per_second"] = sequence.generated / inference
    return fields


def whole(head: Head, sequence: Sequence, text: str, reason: str, transfer: _Fields | None) -> bytes:
    """The answer in one piece."""
    choice: _Fields = {"index": 0, "logprobs": None, "finish_reason": reason, "stop_reason": sequence.answer.stop_reason}
    if head.chat:
        choice["message"] = {"role": "assistant", "content": text}
    else:
        choice["text"] = text
    body = _envelope(head, "chat.completion" if head.chat else "text_completion", [choice])
    body |= {
        "system_fingerprint": FINGERPRINT,
        "usage": usage(head, sequence),
        "kv_transfer_params": transfer,
        "metrics": metrics(sequence),
    }
    return msgspec.json.encode(body)


def opening(head: Head) -> Iterator[bytes]:
    """What a chat stream begins with, when its first token is there."""
    if head.chat:
        yield _event(head, [{"index": 0, "delta": {"role": "assistant", "content": ""}, "logprobs": None, "finish_reason": None}])


def chunk(head: Head, text: str, reason: str | None, sequence: Sequence, *, last: bool) -> bytes:
    """One token. `last` says that no usage follows, so this one carries the fingerprint."""
    choice: _Fields = {"index": 0, "logprobs": None, "finish_reason": reason}
    if reason is not None:
        choice["stop_reason"] = sequence.answer.stop_reason
    choice |= {"delta": {"content": text}} if head.chat else {"text": text}
    return _event(head, [choice], {"system_fingerprint": FINGERPRINT} if last and reason is not None else {})


def closing_usage(head: Head, sequence: Sequence) -> bytes:
    """The chunk without choices that a client asked for; the per-request metrics ride on it alone."""
    more = {"usage": usage(head, sequence), "system_fingerprint": FINGERPRINT, "metrics": metrics(sequence)}
    return _event(head, [], more)


def _event(head: Head, choices: list[_Fields], more: Mapping[str, object] | None = None) -> bytes:
    kind = "chat.completion.chunk" if head.chat else "text_completion"
    return b"data: " + msgspec.json.encode(_envelope(head, kind, choices) | dict(more or {})) + b"\n\n"


def _envelope(head: Head, kind: str, choices: list[_Fields]) -> _Fields:
    return {"id": head.answer_id, "object": kind, "created": head.created, "model": head.model, "choices": choices}
