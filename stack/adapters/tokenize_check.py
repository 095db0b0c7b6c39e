"""Does an engine see the tokens this router predicts? Asked once when it joins, through its /tokenize."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

import httpx
import msgspec

from stack.model.placement import PlacementUnknownError

CHECK_SECONDS = 5.0

# Each tells one difference apart: the default system prompt, an own one, turns, scripts, parts, white space, special tokens.
CHATS: tuple[dict[str, Any], ...] = (
    {"messages": [{"role": "user", "content": "What is the capital of France?"}]},
    {
        "messages": [
            {"role": "system", "content": "You answer in one word."},
            {"role": "user", "content": "Größe, 東京, नमस्ते, مرحبا, 🙂?"},
            {"role": "assistant", "content": "Yes."},
            {"role": "user", "content": "  Twice\n\n\tas much\r\n"},
        ]
    },
    {"messages": [{"role": "user", "content": [{"type": "text", "text": "One"}, {"type": "text", "text": "and two"}]}]},
    {"messages": [{"role": "user", "content": "<|im_start|> </s> [INST] <|eot_id|>"}], "add_generation_prompt": False},
)
COMPLETIONS: tuple[dict[str, Any], ...] = ({"prompt": "Once upon a time"}, {"prompt": " 12345 == 3.14e-5;\n"})


class TokenizeUnavailableError(ConnectionError):
    """The engine did not answer /tokenize with tokens; that says nothing about agreement."""


class Tokenizes(Protocol):
    """What is checked."""

    def chat(self, body: Mapping[str, Any]) -> Sequence[int]: ...

    def completion(self, body: Mapping[str, Any]) -> Sequence[int]: ...


class _Answer(msgspec.Struct):
    tokens: list[int]


async def agrees(client: httpx.AsyncClient, engine_url: str, model: str, tokenizer: Tokenizes) -> bool:
    """The engine and `tokenizer` give the same tokens for every probe. Raises TokenizeUnavailableError.

    A probe that the model's template refuses here is refused by the engine as well, and is passed over.
    """
    for body, predict in _probes(tokenizer):
        try:
            predicted = predict(body)
        except PlacementUnknownError:
            continue
        if list(predicted) != await _ask(client, engine_url, {"model": model, **body}):
            return False
    return True


def _probes(tokenizer: Tokenizes) -> list[tuple[dict[str, Any], Callable[[Mapping[str, Any]], Sequence[int]]]]:
    return [(body, tokenizer.chat) for body in CHATS] + [(body, tokenizer.completion) for body in COMPLETIONS]


async def _ask(client: httpx.AsyncClient, engine_url: str, body: dict[str, Any]) -> list[int]:
    try:
        answer = await client.post(f"{engine_url}/tokenize", json=body, timeout=CHECK_SECONDS)
        answer.raise_for_status()
        return msgspec.json.decode(answer.content, type=_Answer).tokens
    except (httpx.HTTPError, msgspec.DecodeError) as error:
        raise TokenizeUnavailableError(f"{engine_url}/tokenize: {type(error).__name__}") from error
