"""What vLLM hands to a chat template. (Whole prompts are compared in tests/stack/adapters/test_chat_template.py.)"""

from __future__ import annotations

from typing import Any

import pytest

from stack.engines import vllm_chat


def message(role: str, content: object = "x") -> dict[str, Any]:
    return {"role": role, "content": content}


@pytest.mark.parametrize(
    ("content", "text", "parts"),
    [
        (None, "", []),
        ("one", "one", ["one"]),
        ([{"type": "text", "text": "one"}, {"type": "text", "text": ""}, {"type": "text"}], "one", ["one", ""]),
        ([{"type": "input_text", "text": "one"}, {"type": "text", "text": "two"}], "one\ntwo", ["one", "two"]),
    ],
)
def test_contents_become_text_or_parts_as_the_template_wants_them(content: object, text: str, parts: list[str]) -> None:
    given = [message("user", content)]
    assert vllm_chat.conversation(given, structured=False) == [{"role": "user", "content": text}]
    assert vllm_chat.conversation(given, structured=True) == [
        {"role": "user", "content": [{"type": "text", "text": part} for part in parts]}
    ]


@pytest.mark.parametrize(
    ("arguments", "expected"), [('{"a": 1}', {"a": 1}), ("[]", {}), ("{", {}), ("", {}), (None, {}), ({"a": 1}, {"a": 1})]
)
def test_tool_arguments_are_an_object_whatever_the_client_sent(arguments: object, expected: dict[str, Any]) -> None:
    call = {"id": "1", "type": "function", "function": {"name": "f", "arguments": arguments}}
    made = vllm_chat.conversation([{"role": "assistant", "content": None, "tool_calls": [call]}], structured=False)
    assert made[0]["tool_calls"] == [{"id": "1", "type": "function", "function": {"name": "f", "arguments": expected}}]


def test_developer_messages_become_system_ones_and_are_merged_into_the_first() -> None:
    given = [message("user", "a"), message("developer", "rules"), message("system", "more"), message("user", "b")]
    assert vllm_chat.developer_as_system(given) == [message("system", "rules\n\nmore"), message("user", "a"), message("user", "b")]


def test_without_a_developer_message_system_ones_stay_where_they_are() -> None:
    given = [message("user", "a"), message("system", "late")]
    assert vllm_chat.developer_as_system(given) is given


@pytest.mark.parametrize(
    ("body", "variables"),
    [
        ({}, {"add_generation_prompt": True}),
        ({"add_generation_prompt": False}, {"add_generation_prompt": False}),
        ({"reasoning_effort": "high"}, {"add_generation_prompt": True, "reasoning_effort": "high", "enable_thinking": True}),
        ({"reasoning_effort": "none"}, {"add_generation_prompt": True, "reasoning_effort": "none", "enable_thinking": False}),
        (
            {"chat_template_kwargs": {"enable_thinking": False, "x": 1}, "reasoning_effort": "low"},
            {"add_generation_prompt": True, "reasoning_effort": "low", "enable_thinking": False, "x": 1},
        ),
    ],
)
def test_a_request_adds_its_variables(body: dict[str, Any], variables: dict[str, Any]) -> None:
    assert vllm_chat.template_variables(body) == variables


def test_tools_keep_the_fields_and_the_order_the_engine_gives_them() -> None:
    tool = {"function": {"strict": True, "parameters": {"type": "object"}, "name": "f", "extra": 1}, "type": "function"}
    assert vllm_chat.tools({"tools": [tool]}) == [
        {"type": "function", "function": {"name": "f", "description": None, "parameters": {"type": "object"}, "strict": True}}
    ]
    assert vllm_chat.tools({}) is None
