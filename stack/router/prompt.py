"""A prompt as one run of bytes: what prefix hashes and size estimates are made of. Never logged, never kept."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec
from xxhash import xxh3_64_hexdigest

from stack.engines.prompt_ids import token_ids
from stack.router.openai import CHAT, ParsedBody

# Between pieces, so that a role and a text never read like one longer text.
_FIELD = "\x1f"
_RECORD = "\x1e"


def laid_out(body: ParsedBody) -> tuple[bytes, int | None]:
    """The prompt, and how many of its bytes stay as they are while a chat grows: through its user's first message.

    Common prefixes of what comes out are the prompts' common prefixes. The cache salt comes first, since it parts all
    caches, then a chat in the order in which a template lays it out: tools, then turn by turn; images and the like are
    there as a hash of what the client sent. None for what is no chat, or has no user.
    """
    head = _head(body)
    if body.path != CHAT:
        ids = token_ids(body.fields.get("prompt"))
        return head + (_completion(body).encode() if ids is None else ids.tobytes()), None
    messages = body.fields["messages"]
    first = _first_of_user(messages)
    pieces = [*_preface(body.fields), *map(_turn, messages)]
    if first is None:
        return head + _RECORD.join(pieces).encode(), None
    later = len(messages) - first
    opening = head + _RECORD.join(pieces[: len(pieces) - later]).encode()
    if not later:
        return opening, len(opening)
    return b"".join((opening, _RECORD.encode(), _RECORD.join(pieces[-later:]).encode())), len(opening)


def _completion(body: ParsedBody) -> str:
    prompt = body.fields.get("prompt")
    if isinstance(prompt, str):
        return prompt
    if isinstance(prompt, list):
        return _RECORD.join(piece for piece in prompt if isinstance(piece, str))
    return ""


def _first_of_user(messages: list[dict[str, Any]]) -> int | None:
    """How many messages there are through the user's first one."""
    for number, message in enumerate(messages, 1):
        if message.get("role") == "user":
            return number
    return None


def _head(body: ParsedBody) -> bytes:
    salt = body.cache_salt
    return b"" if salt is None else f"{salt}{_RECORD}".encode()


def _preface(fields: dict[str, Any]) -> Iterator[str]:
    for name in ("tools", "documents", "chat_template_kwargs"):
        if fields.get(name):
            yield msgspec.json.encode(fields[name]).decode()


def _turn(message: dict[str, Any]) -> str:
    content, calls = message.get("content"), message.get("tool_calls")
    said = content if isinstance(content, str) else _content(content)
    return f"{message.get('role')}{_FIELD}{said}{msgspec.json.encode(calls).decode() if calls else ''}"


def _content(content: Any) -> str:
    return _FIELD.join(map(_part, content)) if isinstance(content, list) else ""


def _part(part: Any) -> str:
    if isinstance(part, str):
        return part
    if isinstance(part, dict) and isinstance(part.get("text"), str):
        return str(part["text"])
    return xxh3_64_hexdigest(msgspec.json.encode(part))
