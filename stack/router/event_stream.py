"""A stream of server-sent events on its way to the client, one pass over the bytes."""

from __future__ import annotations

import re
from typing import Any

import msgspec

from stack.engines.answer_facts import AnswerFacts, answer_facts
from stack.router.answer import Document, drop_private, is_empty_list, present, put_cached_tokens, read
from stack.router.openai import UsageWish

_EVENT = re.compile(rb".*?(?:\r\n\r\n|\n\n)", re.DOTALL)
_MAX_EVENT_BYTES = 8 * 1024 * 1024


class _Choice(msgspec.Struct):
    text: str | None = None
    delta: dict[str, Any] | None = None
    finish_reason: str | None = None


class _Choices(msgspec.Struct):
    choices: list[_Choice] = []


class _Remarks(msgspec.Struct):
    """What else an event may say."""

    usage: Any = None
    error: Any = None
    metrics: Any = None
    kv_transfer_params: Any = None
    ec_transfer_params: Any = None


_NO_REMARK = _Remarks()
_REMARKS = msgspec.json.Decoder(_Remarks)
_CHOICES = msgspec.json.Decoder(_Choices)


class EventStream:
    """Feed it chunks as they arrive, pass on what it returns. Events that need no change leave byte by byte.

    `tokens` counts events that carried output so far, `first_token` is true from the first of them, `done` after the
    closing `[DONE]`, `failed` once the engine reported an error inside the stream.
    """

    def __init__(self, wish: UsageWish, remote_cached_tokens: int | None = None) -> None:
        self._wish = wish
        self._remote_cached_tokens = remote_cached_tokens
        self._rest = b""
        self.tokens = 0
        self.done = False
        self.failed = False
        self.facts = AnswerFacts()

    @property
    def first_token(self) -> bool:
        """Some output came through."""
        return self.tokens > 0

    def feed(self, chunk: bytes) -> bytes:
        """What may go to the client now; empty while an event is not whole."""
        data = self._rest + chunk if self._rest else chunk
        if self.tokens and _plain(data):
            self._rest = b""
            self.tokens += 1
            return data
        end = _end(data)
        whole, self._rest = data[:end], data[end:]
        if len(self._rest) > _MAX_EVENT_BYTES:  # no event is so large: this is no stream to read
            return whole + self.end()
        return b"".join([self._event(match[0]) for match in _EVENT.finditer(whole)])

    def end(self) -> bytes:
        """The bytes of an unfinished event, once the engine's stream is over."""
        rest, self._rest = self._rest, b""
        return rest

    def _event(self, event: bytes) -> bytes:
        if self.tokens and _plain(event):
            self.tokens += 1
            return event
        data = _data(event)
        if data is None:
            return event
        if data == b"[DONE]":
            self.done = True
            return event
        document = read(data)
        if document is None:
            return event
        self.failed |= present(document, "error")
        self._count(document, data)
        return self._filtered(document, data, event)

    def _count(self, document: Document, data: bytes) -> None:
        if present(document, "choices") and not is_empty_list(document, "choices"):
            self.tokens += self.first_token or _has_output(data)

    def _filtered(self, document: Document, data: bytes, event: bytes) -> bytes:
        changed = False
        if present(document, "usage"):
            closing = is_empty_list(document, "choices")
            if closing:
                self.facts = answer_facts(data)
                if not self._wish.include:
                    return b""
            elif not self._wish.include:
                del document["usage"]
                changed = True
        changed |= put_cached_tokens(document, self._remote_cached_tokens)
        changed |= drop_private(document)
        return _rewritten(event, document) if changed else event


def _plain(event: bytes) -> bool:
    """One event, whole, with nothing in it but output: most are, once the first token is through."""
    if not event.startswith(b"data: {") or event.find(b"\n\n") != len(event) - 2:
        return False
    try:
        return _REMARKS.decode(event[6:]) == _NO_REMARK
    except (msgspec.DecodeError, RecursionError):
        return False


def _end(data: bytes) -> int:
    """Where the last whole event ends; 0 when there is none."""
    line_feeds, crlfs = data.rfind(b"\n\n"), data.rfind(b"\r\n\r\n")
    return max(line_feeds + 2 if line_feeds >= 0 else 0, crlfs + 4 if crlfs >= 0 else 0)


def _data(event: bytes) -> bytes | None:
    """An event's data; None when it has none (a comment, a field of another kind)."""
    lines = [line[5:].removeprefix(b" ") for line in event.splitlines() if line.startswith(b"data:")]
    return b"\n".join(lines) if lines else None


def _rewritten(event: bytes, document: Document) -> bytes:
    kept = [line for line in event.splitlines() if line and not line.startswith(b"data:")]
    return b"".join(line + b"\n" for line in kept) + b"data: %b\n\n" % msgspec.json.encode(document)


def _has_output(data: bytes) -> bool:
    """Text, a tool call, reasoning, or the end of the answer: anything but the opening role."""
    try:
        choices = _CHOICES.decode(data).choices
    except (msgspec.DecodeError, RecursionError):
        return False
    return any(
        choice.text or choice.finish_reason or any(value for name, value in (choice.delta or {}).items() if name != "role")
        for choice in choices
    )
