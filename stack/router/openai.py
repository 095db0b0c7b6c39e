"""OpenAI bodies: parsed once and made safe. What is forwarded of them, `stack.router.forwarding` says.

In a decoded body only the last one of a duplicate key is left, and an escaped spelling of a key is that key.
"""

from __future__ import annotations

from typing import Any

import msgspec

from stack.router.sanitise import NAMES, NESTING, strip_transfer_params, too_deep

CHAT = "/v1/chat/completions"
COMPLETIONS = "/v1/completions"
ROUTED = frozenset({CHAT, COMPLETIONS})
"""Paths that strategies and prefill/decode disaggregation apply to."""
PASS_THROUGH = frozenset({"/v1/embeddings", "/v1/rerank", "/v1/score", "/v1/responses", "/v1/messages"})
"""Other paths that name a model and are sent on to an engine that serves it; no other path ever is."""

_JSON = msgspec.json.Decoder()
_TOKEN_LIMITS = ("max_completion_tokens", "max_tokens", "max_output_tokens")


class BodyError(ValueError):
    """A body that is refused with 400: words for the client, the field at fault, and a code."""

    def __init__(self, message: str, param: str | None = None, code: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.param = param
        self.code = code


class UsageWish(msgspec.Struct, frozen=True, gc=False):
    """What the client asked to see of usage in a stream: the closing event, or figures with every event."""

    include: bool = False
    continuous: bool = False


_NO_WISH = UsageWish()


class ParsedBody(msgspec.Struct, frozen=True, gc=False):
    """A request body that may be forwarded. `fields` is sanitised and read-only by agreement.

    `stripped` names what was taken out, as paths such as `vllm_xargs.kv_transfer_params`. `max_tokens` is the
    client's limit on the answer, None when it set none. `raw` are the bytes that came: see `stack.router.forwarding` before
    they are sent to anyone. `routed`: strategies and disaggregation apply.
    """

    path: str
    model: str
    fields: dict[str, Any]
    stripped: tuple[str, ...] = ()
    stream: bool = False
    usage: UsageWish = _NO_WISH
    max_tokens: int | None = None
    raw: bytes = b""
    routed: bool = True

    @property
    def cache_salt(self) -> str | None:
        """Requests of different salts share no cache."""
        return self.text("cache_salt")

    def text(self, name: str) -> str | None:
        """A field of text at the top of the body; None when it is missing, empty or no text."""
        value = self.fields.get(name)
        return value if isinstance(value, str) and value else None


def parse(path: str, raw: bytes) -> ParsedBody:
    """The body of a request to `path`, one of ROUTED or PASS_THROUGH. Raises BodyError."""
    fields = _decode(raw)
    plain = _is_plain_chat(fields)
    if not plain:
        _check_depth(fields, raw)
    model = fields.get("model")
    if not isinstance(model, str) or not model:
        raise BodyError("you must name a model", "model", "model_required" if model is None else "invalid_type")
    stripped = () if NAMES.isdisjoint(fields) else _strip(fields)
    stream = _flag(fields, "stream")
    usage, routed = _NO_WISH, path in ROUTED
    if routed:
        if not plain or path != CHAT:
            _check_prompt(path, fields)
        if "stream_options" in fields:
            usage = _usage_wish(fields["stream_options"], stream)
    return ParsedBody(path, model, fields, stripped, stream, usage, _token_limit(fields), raw, routed)


def _strip(fields: dict[str, Any]) -> tuple[str, ...]:
    if not isinstance(fields.get("vllm_xargs"), dict | None):
        raise BodyError("vllm_xargs must be an object", "vllm_xargs", "invalid_type")
    return strip_transfer_params(fields)


def encode(fields: dict[str, Any]) -> bytes:
    """The JSON to send to an engine."""
    return msgspec.json.encode(fields)


def _decode(raw: bytes) -> dict[str, Any]:
    try:
        fields = _JSON.decode(raw)
    except RecursionError as error:
        raise BodyError("the body is nested too deeply", code="json_too_deep") from error
    except msgspec.DecodeError as error:
        raise BodyError(f"the body is not JSON that can be read: {error}", code="json_invalid") from error
    except UnicodeDecodeError as error:
        raise BodyError("the body is not UTF-8", code="json_invalid") from error
    if not isinstance(fields, dict):
        raise BodyError("the body must be a JSON object", code="json_invalid")
    return fields


def _is_plain_chat(fields: dict[str, Any]) -> bool:
    """Messages, and nothing nested but them: what most bodies are, and then they are neither deep nor malformed."""
    messages = fields.get("messages")
    if type(messages) is not list or not messages:
        return False
    for name, value in fields.items():
        if type(value) in NESTING and name != "messages":
            return False
    for message in messages:
        if type(message) is not dict:
            return False
        for value in message.values():
            if type(value) in NESTING:
                return False
    return True


def _check_depth(fields: dict[str, Any], raw: bytes) -> None:
    # Counting brackets is dearer than walking through a chat, and far cheaper than walking through token ids.
    if type(fields.get("prompt")) is list and raw.count(b"[") + raw.count(b"{") <= MAX_DEPTH:
        return
    if too_deep(fields, MAX_DEPTH):
        raise BodyError("the body is nested too deeply", code="json_too_deep")


MAX_DEPTH = 100
"""Levels of nesting. Tool schemas stay far below; much above, engines and encoders meet their recursion limits."""


def _flag(fields: dict[str, Any], name: str) -> bool:
    """A boolean that must be one: engines also take "true" or 1, and would then stream what is not read as a stream."""
    value = fields.get(name)
    if value is not None and not isinstance(value, bool):
        raise BodyError(f"{name} must be a boolean", name, "invalid_type")
    return value is True


def _usage_wish(options: Any, stream: bool) -> UsageWish:
    if options is None:
        return _NO_WISH
    if not isinstance(options, dict):
        raise BodyError("stream_options must be an object", "stream_options", "invalid_type")
    if not stream:
        raise BodyError("stream_options are for streams only", "stream_options", "invalid_value")
    try:
        include = _flag(options, "include_usage")
        return UsageWish(include, include and _flag(options, "continuous_usage_stats"))
    except BodyError as error:
        raise BodyError(error.message, f"stream_options.{error.param}", error.code) from error


def _check_prompt(path: str, fields: dict[str, Any]) -> None:
    if path == CHAT:
        messages = fields.get("messages")
        if not isinstance(messages, list) or set(map(type, messages)) != {dict}:
            raise BodyError("messages must be a list of at least one object", "messages", "invalid_type")
        return
    prompt = fields.get("prompt")
    if prompt is None and fields.get("prompt_embeds") is None:
        raise BodyError("a prompt is needed", "prompt", "missing")
    if prompt is not None and not isinstance(prompt, str | list):
        raise BodyError("prompt must be text, token ids, or a list of either", "prompt", "invalid_type")


def _token_limit(fields: dict[str, Any]) -> int | None:
    for name in _TOKEN_LIMITS:
        value = fields.get(name)
        if type(value) is int:
            return value
    return None
