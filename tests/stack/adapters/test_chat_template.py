"""Chat templates render as vLLM renders them (tests/data/chat_prompts.json)."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from jinja2 import TemplateError
from jinja2.sandbox import ImmutableSandboxedEnvironment

from stack.adapters.chat_template import ChatTemplate
from stack.model.placement import PlacementUnknownError, UnknownReason

RECORDED = json.loads((Path(__file__).parents[2] / "data" / "chat_prompts.json").read_text())
USER = {"messages": [{"role": "user", "content": "Hi"}]}


def recorded() -> list[Any]:
    return [pytest.param(chat, id=f"{chat['template']}-{index}") for index, chat in enumerate(RECORDED["chats"])]


@pytest.mark.parametrize("chat", recorded())
def test_a_chat_becomes_the_prompt_the_engine_sees(chat: dict[str, Any]) -> None:
    template = ChatTemplate(RECORDED["templates"][chat["template"]], RECORDED["special_tokens"])
    if chat["prompt"] is None:
        with pytest.raises(PlacementUnknownError):
            template.render(chat["body"])
    else:
        assert template.render(chat["body"]) == chat["prompt"]


def reason(template: ChatTemplate, body: dict[str, Any]) -> UnknownReason:
    with pytest.raises(PlacementUnknownError) as caught:
        template.render(body)
    return caught.value.reason


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({}, UnknownReason.TEMPLATE_FAILED),
        ({"messages": []}, UnknownReason.TEMPLATE_FAILED),
        ({"messages": "Hi"}, UnknownReason.TEMPLATE_FAILED),
        ({"messages": [{"content": "x"}]}, UnknownReason.TEMPLATE_FAILED),
        ({"messages": ["Hi"]}, UnknownReason.TEMPLATE_FAILED),
        ({"messages": [{"role": "user", "content": [{"type": "image_url", "image_url": "x"}]}]}, UnknownReason.UNSUPPORTED_CONTENT),
        ({"messages": [{"role": "user", "content": 5}]}, UnknownReason.UNSUPPORTED_CONTENT),
        ({"messages": [{"role": "user", "content": [{"type": "text", "text": 5}]}]}, UnknownReason.UNSUPPORTED_CONTENT),
        ({"messages": [{"role": "assistant", "tool_calls": [{"type": "custom"}]}]}, UnknownReason.UNSUPPORTED_CONTENT),
        ({"messages": [{"role": "assistant", "tool_calls": 5}]}, UnknownReason.UNSUPPORTED_CONTENT),
        ({**USER, "continue_final_message": True}, UnknownReason.UNSUPPORTED_OPTION),
        ({**USER, "chat_template": "x"}, UnknownReason.UNSUPPORTED_OPTION),
        ({**USER, "truncate_prompt_tokens": 5}, UnknownReason.UNSUPPORTED_OPTION),
        ({**USER, "chat_template_kwargs": {"messages": []}}, UnknownReason.UNSUPPORTED_OPTION),
        ({**USER, "chat_template_kwargs": 5}, UnknownReason.UNSUPPORTED_OPTION),
        ({**USER, "tools": [{"type": "web_search"}]}, UnknownReason.UNSUPPORTED_OPTION),
        ({**USER, "tools": 5}, UnknownReason.UNSUPPORTED_OPTION),
    ],
)
def test_what_cannot_be_told_is_refused_with_a_reason(body: dict[str, Any], expected: UnknownReason) -> None:
    assert reason(ChatTemplate(RECORDED["templates"]["plain"], {}), body) is expected


@pytest.mark.parametrize(
    "source",
    [
        "{{ messages.append(1) }}",
        "{{ ''.__class__.__mro__ }}",
        "{{ messages[0].content / 2 }}",
        "{% for i in range(10**9) %}x{% endfor %}",
        "{{ raise_exception('no') }}",
    ],
)
def test_a_template_that_fails_or_breaks_out_makes_the_prompt_unknown(source: str) -> None:
    assert reason(ChatTemplate(source, {}), USER) is UnknownReason.TEMPLATE_FAILED


def test_what_is_let_through_unasked_is_what_the_sandbox_lets_through() -> None:
    source = (
        "{% for m in messages %}{{ loop.first }}{{ loop.last }}{{ loop.index0 }}{{ loop.nextitem is defined }}"
        "{{ loop.cycle(1, 2) }}{{ m.role }}{{ m.nothing is defined }}{{ m.items() | length }}{{ m['content'] }}"
        "{{ loop.__class__ is defined }}"
        "{% if loop.changed(m.role) %}!{% endif %}{{ m.update is defined }}\n{% endfor %}"
    )
    body = {"messages": [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b", "name": "c"}]}
    plain = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True).from_string(source)
    assert ChatTemplate(source, {}).render(body) == plain.render(body)


def test_the_date_comes_from_the_given_clock() -> None:
    template = ChatTemplate("{{ strftime_now('%d %b %Y') }}", {}, now=lambda: datetime(2026, 1, 2))
    assert template.render(USER) == "02 Jan 2026"


def test_json_is_written_for_models_not_for_html() -> None:
    assert (
        ChatTemplate("{{ messages | tojson }}", {}).render({"messages": [{"role": "user", "content": "<ü> & 'x'"}]})
        == '[{"role": "user", "content": "<ü> & \'x\'"}]'
    )


def test_a_message_has_its_fields_in_the_engine_s_order() -> None:
    body = {"messages": [{"content": "Hi", "role": "user"}, {"role": "user", "content": "Hi"}]}
    assert ChatTemplate("{{ messages | tojson }}", {}).render(body) == json.dumps([{"role": "user", "content": "Hi"}] * 2)


def test_what_is_no_template_is_refused_at_once() -> None:
    with pytest.raises(TemplateError):
        ChatTemplate("{% if %}", {})
