"""From an OpenAI chat request to what vLLM hands to the chat template (as of 0.32). Pure.

What is not reproduced here is refused with a reason: a wrong prediction would be worse than none.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeGuard

import msgspec

from stack.model.placement import PlacementUnknownError, UnknownReason

Conversation = list[dict[str, Any]]

_PLAIN_ROLES = ("user", "assistant", "system")
_TEXT_PARTS = frozenset({"text", "input_text", "output_text"})
# A request may bring its own template, or ask for the prompt to be cut.
_PROMPT_CHANGING = ("chat_template", "truncate_prompt_tokens", "continue_final_message")
# Names the renderer sets itself or takes for settings of its own.
_RESERVED = frozenset({"messages", "tools", "conversation", "chat_template", "tokenize", "documents", "continue_final_message"})


def conversation(messages: object, *, structured: bool) -> Conversation:
    """The messages as a template sees them: contents as text, or as lists of parts when it is `structured`.

    Raises PlacementUnknownError on anything but text.
    """
    if not isinstance(messages, Sequence) or isinstance(messages, str | bytes) or not messages:
        raise PlacementUnknownError(UnknownReason.TEMPLATE_FAILED, "no messages")
    return [message if not structured and _is_plain(message) else _message(message, structured=structured) for message in messages]


def developer_as_system(messages: Conversation) -> Conversation:
    """For templates without a developer role: such messages become system ones, all of which are merged into the first."""
    if not any(message["role"] == "developer" for message in messages):
        return messages
    renamed = [_as_system(message) if message["role"] == "developer" else message for message in messages]
    first, *later = (index for index, message in enumerate(renamed) if message["role"] == "system")
    if first == 0 and not later:
        return renamed
    contents = [_flat(message["content"]) for message in renamed if message["role"] == "system"]
    merged = {"role": "system", "content": "\n\n".join(content for content in contents if content)}
    return [merged, *(message for message in renamed if message["role"] != "system")]


def tools(body: Mapping[str, Any]) -> list[dict[str, Any]] | None:
    """The tools in the field order the engine gives them. Raises PlacementUnknownError when they are not function tools."""
    given = body.get("tools")
    if given is None:
        return None
    if not isinstance(given, Sequence):
        raise PlacementUnknownError(UnknownReason.UNSUPPORTED_OPTION, "tools")
    return [_tool(tool) for tool in given]


def template_variables(body: Mapping[str, Any]) -> dict[str, Any]:
    """What a request adds to the template's variables. Raises PlacementUnknownError where it changes the prompt otherwise."""
    for name in _PROMPT_CHANGING:
        if body.get(name):
            raise PlacementUnknownError(UnknownReason.UNSUPPORTED_OPTION, name)
    given = body.get("chat_template_kwargs") or {}
    if not isinstance(given, Mapping) or _RESERVED & given.keys():
        raise PlacementUnknownError(UnknownReason.UNSUPPORTED_OPTION, "chat_template_kwargs")
    variables = {**given, "add_generation_prompt": body.get("add_generation_prompt", True)}
    if (documents := body.get("documents")) is not None:
        variables["documents"] = documents
    effort = body.get("reasoning_effort")
    if effort is not None:
        variables.setdefault("enable_thinking", effort != "none")
        if effort != "auto":
            variables["reasoning_effort"] = effort
    return variables


def _is_plain(message: object) -> TypeGuard[dict[str, Any]]:
    """A role that nothing else belongs to, and a text: a template sees it as it came. Most of any long chat is this."""
    return (
        type(message) is dict
        and tuple(message) == ("role", "content")  # in the engine's order: a template may write out the whole object
        and message["role"] in _PLAIN_ROLES
        and type(message["content"]) is str
    )


def _message(message: object, *, structured: bool) -> dict[str, Any]:
    if not isinstance(message, Mapping) or not isinstance(role := message.get("role"), str):
        raise PlacementUnknownError(UnknownReason.TEMPLATE_FAILED, "a message without role")
    parts = _parts(message.get("content"))
    content: object = [{"type": "text", "text": part} for part in parts] if structured else _joined(parts)
    result: dict[str, Any] = {"role": role, "content": content}
    if role == "assistant":
        result |= _assistant(message)
    elif role == "tool":
        result["content"] = "\n".join(parts) if structured else _joined(parts)
        result |= {"tool_call_id": message["tool_call_id"]} if "tool_call_id" in message else {}
    elif role == "developer":
        result["tools"] = message.get("tools")
    for name in ("name", "task"):
        if isinstance(message.get(name), str):
            result[name] = message[name]
    return result


def _parts(content: object) -> list[str]:
    if content is None:
        return []
    if isinstance(content, str):
        return [content]
    if not isinstance(content, Iterable):
        raise PlacementUnknownError(UnknownReason.UNSUPPORTED_CONTENT)
    return [text for part in content if (text := _text(part)) is not None]


def _text(part: object) -> str | None:
    """A part's text; a text part without text is skipped, as the engine does."""
    if not isinstance(part, Mapping) or part.get("type") not in _TEXT_PARTS or not part.keys() <= {"type", "text"}:
        raise PlacementUnknownError(UnknownReason.UNSUPPORTED_CONTENT)
    text = part.get("text")
    if text is not None and not isinstance(text, str):
        raise PlacementUnknownError(UnknownReason.UNSUPPORTED_CONTENT)
    return text


def _joined(parts: Sequence[str]) -> str:
    """Empty parts vanish, line break and all."""
    return parts[0] if len(parts) == 1 else "\n".join(part for part in parts if part)


def _assistant(message: Mapping[str, Any]) -> dict[str, Any]:
    added: dict[str, Any] = {}
    calls = message.get("tool_calls")
    if calls is not None and not isinstance(calls, list):
        raise PlacementUnknownError(UnknownReason.UNSUPPORTED_CONTENT, "tool calls")
    if calls:
        added["tool_calls"] = [_tool_call(call) for call in calls]
    if (reasoning := message.get("reasoning")) is not None:
        added |= {"reasoning": reasoning, "reasoning_content": reasoning}
    return added


def _tool_call(call: object) -> dict[str, Any]:
    """Templates expect the arguments as an object; clients send them as JSON text, sometimes malformed."""
    function = call.get("function") if isinstance(call, Mapping) else None
    if not isinstance(call, Mapping) or not isinstance(function, Mapping) or call.get("type", "function") != "function":
        raise PlacementUnknownError(UnknownReason.UNSUPPORTED_CONTENT, "tool call")
    arguments = function.get("arguments")
    if isinstance(arguments, str):
        try:
            arguments = msgspec.json.decode(arguments)
        except msgspec.DecodeError:
            arguments = {}
    return {**call, "function": {**function, "arguments": arguments if isinstance(arguments, dict) else {}}}


def _tool(tool: object) -> dict[str, Any]:
    function = tool.get("function") if isinstance(tool, Mapping) else None
    if not isinstance(tool, Mapping) or not isinstance(function, Mapping) or tool.get("type", "function") != "function":
        raise PlacementUnknownError(UnknownReason.UNSUPPORTED_OPTION, "tools")
    described: dict[str, Any] = {name: function.get(name) for name in ("name", "description", "parameters")}
    described |= {name: function[name] for name in ("strict", "defer_loading") if function.get(name) is not None}
    return {"type": "function", "function": described}


def _as_system(message: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in message.items() if name != "tools"} | {"role": "system"}


def _flat(content: object) -> str:
    return content if isinstance(content, str) else _joined(_parts(content))
