"""Token ids for an emulated engine: the model's own tokenizer where there is one, else bytes in fours."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol

import tokenizers

from stack.adapters.chat_tokens import ChatTokenizer, NoTokenizerError
from stack.model.placement import PlacementUnknownError

log = logging.getLogger(__name__)

_PIECE_BYTES = 4


class PromptError(ValueError):
    """The prompt cannot be turned into tokens; the message says why."""


class Tokenizer(Protocol):
    """What an engine needs of a tokenizer."""

    def encode(self, text: str, *, add_special_tokens: bool) -> list[int]:
        """Raises PromptError."""
        ...

    def decode(self, tokens: Sequence[int]) -> str: ...

    def chat(self, body: Mapping[str, object]) -> list[int]:
        """The prompt of an OpenAI chat body. Raises PromptError."""
        ...

    def pieces(self, text: str) -> list[tuple[int, str]]:
        """Tokens of `text` with the characters each stands for."""
        ...


class ByteTokenizer:
    """Four UTF-8 bytes a token, the last padded with zeros: stable, and reversible for text without zero bytes.

    No model's tokenizer, so a router cannot foretell its tokens. Ids fit into 32 bits, as event readers expect.
    """

    def encode(self, text: str, *, add_special_tokens: bool) -> list[int]:
        raw = text.encode(errors="surrogatepass")
        return [_token(raw[at : at + _PIECE_BYTES]) for at in range(0, len(raw), _PIECE_BYTES)]

    def decode(self, tokens: Sequence[int]) -> str:
        return b"".join([_bytes(token) for token in tokens]).decode(errors="replace")

    def chat(self, body: Mapping[str, object]) -> list[int]:
        messages = body.get("messages")
        if not isinstance(messages, list) or not all(isinstance(message, Mapping) for message in messages):
            raise PromptError("messages must be a list of objects")
        turns = [f"<|{message.get('role', '')}|>\n{_content(message)}\n" for message in messages]
        if body.get("add_generation_prompt", True):
            turns.append("<|assistant|>\n")
        return self.encode("".join(turns), add_special_tokens=False)

    def pieces(self, text: str) -> list[tuple[int, str]]:
        """Whole characters only: a piece is cut by characters, which for the emulator's own ASCII text is by bytes."""
        parts = [text[at : at + _PIECE_BYTES] for at in range(0, len(text), _PIECE_BYTES)]
        return [(_token(part.encode()), part) for part in parts]


class ModelTokenizer:
    """The model's own tokenizer and chat template: the same tokens as a router that has them predicts."""

    def __init__(self, chats: ChatTokenizer, tokenizer: tokenizers.Tokenizer) -> None:
        self._chats = chats
        self._tokenizer = tokenizer

    @classmethod
    def load(cls, model_root: str) -> ModelTokenizer:
        """From the model's folder. Raises NoTokenizerError."""
        chats = ChatTokenizer.load(model_root)
        return cls(chats, tokenizers.Tokenizer.from_file(str(Path(model_root) / "tokenizer.json")))

    def encode(self, text: str, *, add_special_tokens: bool) -> list[int]:
        try:
            return self._chats.completion({"prompt": text, "add_special_tokens": add_special_tokens}).tolist()
        except PlacementUnknownError as error:
            raise PromptError(str(error)) from error

    def decode(self, tokens: Sequence[int]) -> str:
        text: str = self._tokenizer.decode(list(tokens), skip_special_tokens=False)
        return text

    def chat(self, body: Mapping[str, object]) -> list[int]:
        try:
            return self._chats.chat(body).tolist()
        except PlacementUnknownError as error:
            raise PromptError(f"the chat cannot be rendered: {error}") from error

    def pieces(self, text: str) -> list[tuple[int, str]]:
        encoding = self._tokenizer.encode(text, add_special_tokens=False)
        ends = [end for _, end in encoding.offsets]
        return [(token, text[start:end]) for token, start, end in zip(encoding.ids, [0, *ends], ends, strict=False)]


def load(model_root: str) -> Tokenizer:
    """The tokenizer of a model's folder; bytes where it holds none, which a router cannot foretell."""
    try:
        return ModelTokenizer.load(model_root)
    except NoTokenizerError as error:
        log.warning("emulated tokens are bytes", extra={"model_root": model_root, "error": str(error)})
        return ByteTokenizer()


def _content(message: Mapping[str, object]) -> str:
    """The text of one message, whose content may be a string or a list of parts. Raises PromptError."""
    content = message.get("content")
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    if isinstance(content, list) and all(isinstance(part, Mapping) for part in content):
        texts = [part.get("text") for part in content]
        if all(isinstance(text, str) for text in texts):
            return "\n".join(map(str, texts))
    raise PromptError("message content must be text; emulated engines read nothing else")


def _token(piece: bytes) -> int:
    return int.from_bytes(piece.ljust(_PIECE_BYTES, b"\0"), "big")


def _bytes(token: int) -> bytes:
    return (token & 0xFFFF_FFFF).to_bytes(_PIECE_BYTES, "big").rstrip(b"\0")
