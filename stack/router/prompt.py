"""A prompt as one run of bytes: what prefix hashes and size estimates are made of. Never logged, never kept."""

from __future__ import annotations

from typing import Any

import msgspec
from xxhash import xxh3_64_hexdigest

from stack.engines.prompt_ids import token_ids
from stack.router.openai import CHAT, ParsedBody

# Between pieces, so that a role and a text never read like one longer text.
_FIELD = "\x1f"
_RECORD = "\x1e"
_PREFACE = ("tools", "documents", "chat_template_kwargs")


def laid_out(body: ParsedBody, adapter: str | None = None) -> tuple[bytes, int | None]:
    """The prompt, and how many of its bytes stay as they are while a chat grows: through its user's first message.

    Common prefixes of what comes out are the prompts' common prefixes. The LoRA adapter and the cache salt come first,
    since they part all caches, then a chat in the order in which a template lays it out: tools, then turn by turn; images and
    the like are there as a hash of what the client sent. None for what is no chat, or has no user.
    """
    fields = body.fields
    if body.path != CHAT:
        ids = token_ids(fields.get("prompt"))
        return _head(body, adapter).encode() + (_completion(body).encode() if ids is None else ids.tobytes()), None
    parts: list[str] = []
    if not fields.keys().isdisjoint(_PREFACE):
        for name in _PREFACE:
            if fields.get(name):
                parts += (_RECORD, _json(fields[name]))
    opening = None
    for message in fields["messages"]:
        role, content = message.get("role"), message.get("content")
        said = content if isinstance(content, str) else _content(content)
        parts += (_RECORD, role if isinstance(role, str) else str(role), _FIELD, said)
        if calls := message.get("tool_calls"):
            parts.append(_json(calls))
        if opening is None and role == "user":
            opening = len(parts)
    # In place of a mark before the first record.
    parts[0] = _head(body, adapter) if adapter is not None or "cache_salt" in fields else ""
    if opening is None:
        return "".join(parts).encode(), None
    first = "".join(parts[:opening]).encode()
    return first if opening == len(parts) else first + "".join(parts[opening:]).encode(), len(first)


def _completion(body: ParsedBody) -> str:
    prompt = body.fields.get("prompt")
    if isinstance(prompt, str):
        return prompt
    if isinstance(prompt, list):
        return _RECORD.join(piece for piece in prompt if isinstance(piece, str))
    return ""


def _head(body: ParsedBody, adapter: str | None) -> str:
    salt = body.cache_salt
    if adapter is not None:
        return f"{adapter}{_FIELD}{salt or ''}{_RECORD}"
    return "" if salt is None else f"{salt}{_RECORD}"


def _json(value: Any) -> str:
    return msgspec.json.encode(value).decode()


def _content(content: Any) -> str:
    return _FIELD.join(map(_part, content)) if isinstance(content, list) else ""


def _part(part: Any) -> str:
    if isinstance(part, str):
        return part
    if isinstance(part, dict) and isinstance(part.get("text"), str):
        return str(part["text"])
    return xxh3_64_hexdigest(msgspec.json.encode(part))
