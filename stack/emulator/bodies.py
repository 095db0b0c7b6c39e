"""Request bodies as far as an emulated engine reads them. Unknown fields are ignored, as the real engine ignores them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, TypeVar

import msgspec

from stack.emulator.answer import Limits
from stack.emulator.errors import ApiError, bad_request
from stack.emulator.tokens import PromptError, Tokenizer

_TokenId = Annotated[int, msgspec.Meta(ge=0, le=(1 << 63) - 1)]
_Params = dict[str, object]
B = TypeVar("B")


class StreamOptions(msgspec.Struct):
    include_usage: bool | None = False
    continuous_usage_stats: bool | None = False


class Generation(msgspec.Struct, kw_only=True):
    """What chat and plain completions share."""

    model: str | None = None
    stream: bool | None = False
    stream_options: StreamOptions | None = None
    max_tokens: int | None = None
    min_tokens: int = 0
    n: int | None = 1
    stop: str | list[str] | None = None
    ignore_eos: bool = False
    cache_salt: str | None = None
    kv_transfer_params: _Params | None = None
    vllm_xargs: _Params | None = None

    @property
    def include_usage(self) -> bool:
        return bool(self.stream_options and self.stream_options.include_usage)

    @property
    def wanted_tokens(self) -> int | None:
        return self.max_tokens

    def transfer(self) -> Mapping[str, object] | None:
        """The connector's parameters; `vllm_xargs` is copied into the same place, the proper field wins."""
        if self.kv_transfer_params:
            return self.kv_transfer_params
        hidden = (self.vllm_xargs or {}).get("kv_transfer_params")
        return hidden if isinstance(hidden, Mapping) else None

    def limits(self, prompt_tokens: int, max_model_len: int) -> Limits:
        """When the answer ends. Raises ApiError where the engine refuses."""
        wanted = self.wanted_tokens
        if self.stream_options and not self.stream:
            raise bad_request("Stream options can only be defined when `stream=True`.", "stream_options")
        if (self.n or 1) != 1:
            raise bad_request("emulated engines give one answer: n must be 1", "n")
        if wanted is not None and wanted < 1:
            raise bad_request(f"max_tokens must be at least 1, got {wanted}.", "max_tokens")
        if prompt_tokens >= max_model_len:
            raise bad_request(
                f"This model's maximum context length is {max_model_len} tokens. However, your prompt contains "
                f"{prompt_tokens} input tokens, which exceeds this limit even without any output tokens. "
                "Please reduce the length of the input prompt.",
                "input_tokens",
            )
        room = max_model_len - prompt_tokens
        stop = (self.stop,) if isinstance(self.stop, str) else tuple(self.stop or ())
        return Limits(room if wanted is None else min(wanted, room), self.min_tokens, self.ignore_eos, stop)


class ChatBody(Generation, kw_only=True):
    """POST /v1/chat/completions."""

    messages: list[_Params]
    max_completion_tokens: int | None = None

    @property
    def wanted_tokens(self) -> int | None:
        return self.max_completion_tokens if self.max_completion_tokens is not None else self.max_tokens

    def tokens(self, raw: _Params, tokenizer: Tokenizer) -> list[int]:
        """The prompt; `raw` is the whole body, of which the template may use any part. Raises PromptError."""
        return tokenizer.chat(raw)


class CompletionBody(Generation, kw_only=True):
    """POST /v1/completions with one prompt: a text, its tokens, or a list with one of these."""

    prompt: str | list[_TokenId | str | list[_TokenId]]
    max_tokens: int | None = 16
    add_special_tokens: bool = True

    def tokens(self, raw: _Params, tokenizer: Tokenizer) -> list[int]:
        """The prompt. Raises PromptError."""
        prompt = _single(self.prompt)
        if isinstance(prompt, str):
            return tokenizer.encode(prompt, add_special_tokens=self.add_special_tokens)
        tokens = [token for token in prompt if isinstance(token, int)]
        if not tokens or len(tokens) < len(prompt):
            raise PromptError("emulated engines take one prompt, and not an empty one")
        return tokens


class TokenizeBody(msgspec.Struct, kw_only=True):
    """POST /tokenize: a prompt or the messages of a chat."""

    model: str | None = None
    prompt: str | None = None
    messages: list[_Params] | None = None
    add_special_tokens: bool | None = None
    return_token_strs: bool | None = False

    def tokens(self, raw: _Params, tokenizer: Tokenizer) -> list[int]:
        """The tokens asked for. Raises PromptError."""
        if self.messages is not None:
            return tokenizer.chat(raw)
        if self.prompt is None:
            raise PromptError("either prompt or messages is needed")
        special = True if self.add_special_tokens is None else self.add_special_tokens
        return tokenizer.encode(self.prompt, add_special_tokens=special)


class DetokenizeBody(msgspec.Struct, kw_only=True):
    """POST /detokenize."""

    model: str | None = None
    tokens: list[_TokenId]


def _single(prompt: str | Sequence[object]) -> str | Sequence[object]:
    match prompt:
        case [str() | list() as only]:
            return only
        case _:
            return prompt


def decode(body: bytes, kind: type[B]) -> tuple[B, _Params]:
    """A body of `kind`, and all of it as it came. Raises ApiError as the engine answers what it cannot read."""
    try:
        raw = msgspec.json.decode(body, type=_Params)
        return msgspec.convert(raw, kind), raw
    except msgspec.ValidationError as error:
        raise bad_request(str(error)) from error
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise ApiError(400, "Bad Request", f"JSON decode error: {error}") from error
    except RecursionError as error:
        raise ApiError(400, "Bad Request", "JSON decode error: nested too deeply") from error
