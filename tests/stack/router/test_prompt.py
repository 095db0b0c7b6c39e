from __future__ import annotations

from os.path import commonpath
from typing import Any

import msgspec

from stack.router.openai import CHAT, COMPLETIONS, ParsedBody, parse
from stack.router.prompt import laid_out


def chat(*messages: dict[str, Any], **more: Any) -> ParsedBody:
    return parse(CHAT, msgspec.json.encode({"model": "m", "messages": messages, **more}))


def completion(prompt: Any, **more: Any) -> ParsedBody:
    return parse(COMPLETIONS, msgspec.json.encode({"model": "m", "prompt": prompt, **more}))


def text(body: ParsedBody) -> str:
    return laid_out(body)[0].decode()


def hashable(body: ParsedBody) -> bytes:
    return laid_out(body)[0]


def opening_bytes(body: ParsedBody) -> int | None:
    return laid_out(body)[1]


SYSTEM = {"role": "system", "content": "be brief"}


def test_a_chat_reads_turn_by_turn() -> None:
    body = chat(SYSTEM, {"role": "user", "content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]})
    assert text(body) == "system\x1fbe brief\x1euser\x1fa\x1fb"


def test_a_longer_chat_begins_as_the_shorter_one_does() -> None:
    turns = [SYSTEM, {"role": "user", "content": "one"}, {"role": "assistant", "content": "two"}]
    assert hashable(chat(*turns)).startswith(hashable(chat(*turns[:2])))


def test_a_chat_opens_with_all_through_its_users_first_message() -> None:
    turns = [
        SYSTEM,
        {"role": "user", "content": "öne"},
        {"role": "assistant", "content": "two"},
        {"role": "user", "content": "three"},
    ]
    first, grown = chat(*turns[:2], cache_salt="tenant"), chat(*turns, cache_salt="tenant")
    assert opening_bytes(first) == opening_bytes(grown) == len(hashable(first))


def test_what_has_no_user_has_no_opening() -> None:
    assert opening_bytes(chat(SYSTEM)) is None
    assert opening_bytes(completion("hi")) is None


def test_tools_come_first_because_templates_put_them_there() -> None:
    tools = [{"type": "function", "function": {"name": "f"}}]
    assert text(chat(SYSTEM, tools=tools)) == msgspec.json.encode(tools).decode() + "\x1esystem\x1fbe brief"


def test_an_image_is_a_hash_of_itself() -> None:
    def asked(url: str) -> str:
        return text(chat({"role": "user", "content": [{"type": "image_url", "image_url": {"url": url}}]}))

    assert asked("data:" + "x" * 10_000) == asked("data:" + "x" * 10_000) != asked("data:" + "y" * 10_000)
    assert len(asked("data:" + "x" * 10_000)) < 40


def test_odd_messages_have_a_text_too() -> None:
    call = {"role": "assistant", "content": None, "tool_calls": [{"id": "1"}]}
    assert text(chat(call, {"content": 7}, {"role": "user", "content": ["a", 7]})).startswith(
        'assistant\x1f[{"id":"1"}]\x1eNone\x1f\x1euser\x1fa\x1f'
    )


def test_completions_are_text_or_token_ids() -> None:
    assert text(completion("hi")) == "hi"
    assert text(completion(["a", "b"])) == "a\x1eb"


def test_token_ids_share_a_prefix_as_text_does() -> None:
    assert hashable(completion([1, 2, 3])).startswith(hashable(completion([1, 2])))
    assert hashable(completion([-1])) == hashable(completion([2**64])) == b""


def test_a_salt_parts_all_prefixes() -> None:
    one, other = (hashable(completion("hi", cache_salt=salt)) for salt in ("a", "b"))
    assert commonpath([one, other]) == b""
