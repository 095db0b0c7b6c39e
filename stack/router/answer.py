"""An engine's answer on its way to the client: read for its facts, and rid of what the client did not ask for.

The router asks every engine for usage (it measures cached tokens by it), and engines add timings of their own. So the
closing usage event, the timings and the addresses of KV blocks are taken out again; everything else leaves as the
bytes that came in.
"""

from __future__ import annotations

from typing import Any

import msgspec

from stack.engines.answer_facts import NO_FACTS, PRIVATE, AnswerFacts, seen_through
from stack.router.errors import error_body

Document = dict[str, msgspec.Raw]

_DOCUMENTS = msgspec.json.Decoder(Document)
_NULL = b"null"
_EMPTY = b"[]"


def filter_body(raw: bytes, remote_cached_tokens: int | None = None) -> tuple[bytes, AnswerFacts]:
    """A whole answer for the client, and its facts. Usage stays: without a stream every client is given it.

    `remote_cached_tokens` is the prefill leg's figure, which belongs into the client's usage after two legs.
    """
    seen = seen_through(raw)
    facts, private = (NO_FACTS, True) if seen is None else seen
    if not private and remote_cached_tokens is None:
        return raw, facts
    document = read(raw)
    if document is None:
        return raw, NO_FACTS
    changed = drop_private(document)
    changed |= put_cached_tokens(document, remote_cached_tokens)
    return (msgspec.json.encode(document) if changed else raw), facts


def read(raw: bytes) -> Document | None:
    """The top level of a JSON object, its values still raw; None when it is no JSON object."""
    try:
        return _DOCUMENTS.decode(raw)
    except (msgspec.DecodeError, RecursionError):
        return None


def present(document: Document, name: str) -> bool:
    """The field is there and not null."""
    return name in document and bytes(document[name]) != _NULL


def is_empty_list(document: Document, name: str) -> bool:
    """The field is there and holds nothing."""
    return name in document and bytes(document[name]).replace(b" ", b"") == _EMPTY


def drop_private(document: Document) -> bool:
    """Take out, in place, what is between router and engine; whether there was any."""
    found = [name for name in PRIVATE if present(document, name)]
    for name in found:
        del document[name]
    return bool(found)


def put_cached_tokens(document: Document, cached_tokens: int | None) -> bool:
    """Write the prefill engine's cached tokens into `usage`, in place, as one engine that did it all would have.

    Only where the engine shows such details at all. Whether anything changed.
    """
    if cached_tokens is None or not present(document, "usage"):
        return False
    usage: Any = msgspec.json.decode(document["usage"])
    details = usage.get("prompt_tokens_details") if isinstance(usage, dict) else None
    if not isinstance(details, dict) or details.get("cached_tokens") == cached_tokens:
        return False
    details["cached_tokens"] = cached_tokens
    document["usage"] = msgspec.Raw(msgspec.json.encode(usage))
    return True


def error_event(message: str, code: str, status: int = 502) -> bytes:
    """The end of a stream that cannot go on: an error event in OpenAI's shape, then the usual last one."""
    return b"data: %b\n\ndata: [DONE]\n\n" % error_body(status, message, code=code)
