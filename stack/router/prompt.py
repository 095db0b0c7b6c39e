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


def text(body: ParsedBody) -> str:
    """The prompt's text in the order in which a chat template lays it out: tools first, then turn by turn.

    Images and the like are there as a hash of what the client sent. Token ids have no text: see `hashable`.
    """
    if body.path == CHAT:
        return _RECORD.join(_chat(body.fields, body.fields["messages"]))
    prompt = body.fields.get("prompt")
    if isinstance(prompt, str):
        return prompt
    if isinstance(prompt, list):
        return _RECORD.join(piece for piece in prompt if isinstance(piece, str))
    return ""


def hashable(body: ParsedBody) -> bytes:
    """Bytes whose common prefix is the prompts' common prefix; the cache salt comes first, since it parts all caches."""
    head = _head(body)
    ids = token_ids(body.fields.get("prompt"))
    return head + (text(body).encode() if ids is None else ids.tobytes())


def opening_bytes(body: ParsedBody) -> int | None:
    """How many leading bytes of `hashable` stay as they are while a chat grows: through its user's first message.

    None for what is no chat, or has no user.
    """
    if body.path != CHAT:
        return None
    messages = body.fields["messages"]
    first = next((number for number, message in enumerate(messages, 1) if message.get("role") == "user"), None)
    if first is None:
        return None
    return len(_head(body)) + len(_RECORD.join(_chat(body.fields, messages[:first])).encode())


def _head(body: ParsedBody) -> bytes:
    salt = body.cache_salt
    return b"" if salt is None else f"{salt}{_RECORD}".encode()


def _chat(fields: dict[str, Any], messages: list[dict[str, Any]]) -> Iterator[str]:
    for name in ("tools", "documents", "chat_template_kwargs"):
        if fields.get(name):
            yield msgspec.json.encode(fields[name]).decode()
    for message in messages:
        yield f"{message.get('role')}{_FIELD}{_content(message.get('content'))}{_calls(message)}"


def _content(content: Any) -> str:
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return _FIELD.join(_part(part) for part in content)
    return ""


def _part(part: Any) -> str:
    if isinstance(part, str):
        return part
    if isinstance(part, dict) and isinstance(part.get("text"), str):
        return str(part["text"])
    return xxh3_64_hexdigest(msgspec.json.encode(part))


def _calls(message: dict[str, Any]) -> str:
    calls = message.get("tool_calls")
    return msgspec.json.encode(calls).decode() if calls else ""
