"""The token ids an engine will see for a request, told from the model's own tokenizer files."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
from jinja2 import TemplateError
from tokenizers import Tokenizer

from stack.adapters.chat_template import ChatTemplate
from stack.adapters.part_tokens import Draft, PartTokenizer, always
from stack.adapters.special_tokens import frame
from stack.engines.prompt_ids import token_ids
from stack.model.placement import PlacementUnknownError, UnknownReason

PROMPT_CHARACTERS_MAX = 1_000_000  # about a quarter of a second of one core; such a prompt is computed for minutes
CACHE_BYTES = 128 << 20  # some 25 million tokens: of several engines' KV caches, at a thousandth of their size
_NAMED_TOKENS = ("bos_token", "eos_token", "unk_token", "sep_token", "pad_token", "cls_token", "mask_token")


@dataclass(frozen=True, slots=True)
class PromptText:
    """A prompt as text. `special`: the tokenizer adds its special tokens to those that are written out."""

    text: str
    special: bool


class NoTokenizerError(LookupError):
    """A model's tokenizer files are not here or cannot be read; the message names the folder."""


class ChatTokenizer:
    """One model's tokenizer and chat templates. Any thread.

    `parts` keeps the tokens of what was seen before, in at most `cache_bytes`.
    """

    def __init__(self, tokenizer: Tokenizer, templates: Mapping[str, ChatTemplate], cache_bytes: int = CACHE_BYTES) -> None:
        tokenizer.no_truncation()
        tokenizer.no_padding()
        self.parts = PartTokenizer(tokenizer, cache_bytes)
        self._frame = frame(tokenizer)
        self._templates = templates

    @classmethod
    def load(cls, model_root: str, cache_bytes: int = CACHE_BYTES) -> ChatTokenizer:
        """From a folder with tokenizer.json, as engines load it; about a third of a second. Raises NoTokenizerError."""
        folder = Path(model_root)
        if not (folder / "tokenizer.json").is_file():
            raise NoTokenizerError(f"no tokenizer.json in {model_root}")
        try:
            tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
            return cls(tokenizer, _templates(folder), cache_bytes)
        except (OSError, msgspec.DecodeError, TemplateError) as error:
            raise NoTokenizerError(f"{model_root}: {error}") from error
        except Exception as error:  # tokenizers raises bare Exception for a file that is no tokenizer
            raise NoTokenizerError(f"{model_root}: tokenizer.json: {error}") from error

    def chat(self, body: Mapping[str, Any]) -> array[int]:
        """The prompt of a /v1/chat/completions request. Raises PlacementUnknownError."""
        prompt = self.chat_prompt(body)
        return self.tokens(prompt, self.draft(prompt))

    def completion(self, body: Mapping[str, Any]) -> array[int]:
        """The prompt of a /v1/completions request, when it is one text or one list of tokens. Raises PlacementUnknownError."""
        prompt = self.completion_prompt(body)
        return self.tokens(prompt, self.draft(prompt)) if isinstance(prompt, PromptText) else prompt

    def chat_prompt(self, body: Mapping[str, Any]) -> PromptText:
        """A chat as its template writes it. Raises PlacementUnknownError."""
        name = "tool_use" if body.get("tools") is not None and "tool_use" in self._templates else "default"
        template = self._templates.get(name)
        if template is None:
            raise PlacementUnknownError(UnknownReason.NO_TOKENIZER, "no chat template")
        # The template writes the special tokens itself.
        return PromptText(template.render(body), bool(body.get("add_special_tokens", False)))

    def completion_prompt(self, body: Mapping[str, Any]) -> PromptText | array[int]:
        """A completion's prompt: text, or the tokens that the client sent. Raises PlacementUnknownError."""
        if body.get("truncate_prompt_tokens") or body.get("prompt_embeds"):
            raise PlacementUnknownError(UnknownReason.UNSUPPORTED_OPTION, "prompt")
        prompt = body.get("prompt")
        if isinstance(prompt, list) and len(prompt) == 1 and not isinstance(prompt[0], int):
            prompt = prompt[0]
        if isinstance(prompt, str):
            return PromptText(prompt, bool(body.get("add_special_tokens", True)))
        if (ids := token_ids(prompt)) is not None:
            return ids
        raise PlacementUnknownError(UnknownReason.UNSUPPORTED_CONTENT, "prompt")

    def draft(self, prompt: PromptText) -> Draft:
        """What is known of a prompt's tokens already; quick. Raises PlacementUnknownError."""
        if len(prompt.text) > PROMPT_CHARACTERS_MAX:
            raise PlacementUnknownError(UnknownReason.PROMPT_TOO_LONG)
        if prompt.special and self._frame is None:
            raise PlacementUnknownError(UnknownReason.UNSUPPORTED_OPTION, "special tokens")
        return self.parts.draft(prompt.text)

    def tokens(self, prompt: PromptText, draft: Draft, wanted: Callable[[], bool] = always) -> array[int]:
        """The prompt's tokens, the missing ones computed. Raises NobodyWaitsError once not `wanted`."""
        tokens = self.parts.tokens(draft, wanted)
        return self._frame.before + tokens + self._frame.after if prompt.special and self._frame is not None else tokens


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
