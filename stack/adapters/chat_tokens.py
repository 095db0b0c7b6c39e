"""The token ids an engine will see for a request, told from the model's own tokenizer files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
from jinja2 import TemplateError
from tokenizers import Tokenizer

from stack.adapters.chat_template import ChatTemplate
from stack.model.placement import PlacementUnknownError, UnknownReason

PROMPT_CHARACTERS_MAX = 1_000_000  # about a quarter of a second of one core; such a prompt is computed for minutes
_NAMED_TOKENS = ("bos_token", "eos_token", "unk_token", "sep_token", "pad_token", "cls_token", "mask_token")


class NoTokenizerError(LookupError):
    """A model's tokenizer files are not here or cannot be read; the message names the folder."""


class ChatTokenizer:
    """One model's tokenizer and chat templates. Both calls may run in any thread."""

    def __init__(self, tokenizer: Tokenizer, templates: Mapping[str, ChatTemplate]) -> None:
        self._tokenizer = tokenizer
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        self._templates = templates

    @classmethod
    def load(cls, model_root: str) -> ChatTokenizer:
        """From a folder with tokenizer.json, as engines load it; about a third of a second. Raises NoTokenizerError."""
        folder = Path(model_root)
        if not (folder / "tokenizer.json").is_file():
            raise NoTokenizerError(f"no tokenizer.json in {model_root}")
        try:
            tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
            return cls(tokenizer, _templates(folder))
        except (OSError, msgspec.DecodeError, TemplateError) as error:
            raise NoTokenizerError(f"{model_root}: {error}") from error
        except Exception as error:  # tokenizers raises bare Exception for a file that is no tokenizer
            raise NoTokenizerError(f"{model_root}: tokenizer.json: {error}") from error

    def chat(self, body: Mapping[str, Any]) -> list[int]:
        """The prompt of a /v1/chat/completions request. Raises PlacementUnknownError."""
        name = "tool_use" if body.get("tools") is not None and "tool_use" in self._templates else "default"
        template = self._templates.get(name)
        if template is None:
            raise PlacementUnknownError(UnknownReason.NO_TOKENIZER, "no chat template")
        # The template writes the special tokens itself.
        return self._encode(template.render(body), special=bool(body.get("add_special_tokens", False)))

    def completion(self, body: Mapping[str, Any]) -> list[int]:
        """The prompt of a /v1/completions request, when it is one text or one list of tokens. Raises PlacementUnknownError."""
        if body.get("truncate_prompt_tokens") or body.get("prompt_embeds"):
            raise PlacementUnknownError(UnknownReason.UNSUPPORTED_OPTION, "prompt")
        prompt = body.get("prompt")
        if isinstance(prompt, list) and len(prompt) == 1 and not isinstance(prompt[0], int):
            prompt = prompt[0]
        if isinstance(prompt, str):
            return self._encode(prompt, special=bool(body.get("add_special_tokens", True)))
        if isinstance(prompt, list) and prompt and all(type(token) is int for token in prompt):
            return prompt
        raise PlacementUnknownError(UnknownReason.UNSUPPORTED_CONTENT, "prompt")

    def _encode(self, text: str, *, special: bool) -> list[int]:
        if len(text) > PROMPT_CHARACTERS_MAX:
            raise PlacementUnknownError(UnknownReason.PROMPT_TOO_LONG)
        # Unlike encode(), this one leaves offsets out and other threads running.
        ids: list[int] = self._tokenizer.encode_batch_fast([text], add_special_tokens=special)[0].ids
        return ids


def _templates(folder: Path) -> dict[str, ChatTemplate]:
    """By name. A chat_template.jinja goes before what the configuration holds, as in transformers."""
    config = _json(folder / "tokenizer_config.json")
    special = {name: text for name in _NAMED_TOKENS if (text := _token_text(config.get(name))) is not None}
    return {name: ChatTemplate(source, special) for name, source in _sources(folder, config).items()}


def _sources(folder: Path, config: Mapping[str, Any]) -> dict[str, str]:
    file = folder / "chat_template.jinja"
    if file.is_file():
        return {"default": file.read_text("utf-8")}
    given = config.get("chat_template")
    if isinstance(given, str):
        return {"default": given}
    if isinstance(given, Sequence):
        return {entry["name"]: entry["template"] for entry in given}
    return {}


def _token_text(token: object) -> str | None:
    """A named token is a text, or an object that holds it."""
    if isinstance(token, Mapping):
        token = token.get("content")
    return token if isinstance(token, str) else None


def _json(file: Path) -> dict[str, Any]:
    return msgspec.json.decode(file.read_bytes(), type=dict[str, Any]) if file.is_file() else {}
