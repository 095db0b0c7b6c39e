"""Which models this router can tokenize for, checked against the engines that serve them."""

from __future__ import annotations

import asyncio
import logging
from array import array
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import httpx

from stack.adapters.chat_tokens import CACHE_BYTES, ChatTokenizer, NoTokenizerError, PromptText
from stack.adapters.token_threads import TokenThreads
from stack.adapters.tokenize_check import TokenizeUnavailableError, agrees
from stack.model.placement import PlacementUnknownError, UnknownReason
from stack.model.target import Target

log = logging.getLogger(__name__)


class Endpoint(StrEnum):
    """The requests whose prompt is known here."""

    CHAT = "/v1/chat/completions"
    COMPLETION = "/v1/completions"


# A template takes some 5 to 20 microseconds a message.
INLINE_MESSAGES = 100


@dataclass(frozen=True, slots=True)
class TokenUse:
    """One tokenizer's work so far, in tokens of prompts, and the bytes its cache takes. `model` is the first that uses it."""

    model: str
    cached_tokens: int
    computed_tokens: int
    cache_bytes: int


class ModelTokens:
    """One ChatTokenizer a model folder, loaded when its first engine joins. `client` asks the engines' /tokenize.

    While an engine of a model tokenizes otherwise, that model's requests have no tokens here: `tokenizer_mismatch`.
    What is to be tokenized beyond `inline_characters` is left to `threads`, as are chats of many messages.
    """

    def __init__(
        self, client: httpx.AsyncClient, threads: TokenThreads, inline_characters: int = 4096, cache_bytes: int = CACHE_BYTES
    ) -> None:
        self._client = client
        self._threads = threads
        self._inline_characters = inline_characters
        self._cache_bytes = cache_bytes
        self._by_root: dict[str, ChatTokenizer] = {}
        self._by_model: dict[str, ChatTokenizer] = {}
        self._disagreeing: dict[str, Target] = {}
        self._loading = asyncio.Lock()

    async def meet(self, target: Target) -> None:
        """An engine is ready: load its model's tokenizer and hold it against the engine.

        Neither a missing tokenizer nor an engine without /tokenize is an error: the one leaves the model without tokens,
        the other leaves the tokenizer unchecked.
        """
        try:
            tokenizer = await self._load(target.model_root)
        except NoTokenizerError as error:
            log.warning("no tokenizer", extra={"model": target.model, "error": str(error)})
            return
        self._by_model[target.model] = tokenizer
        try:
            agreed = await agrees(self._client, target.url, target.model, tokenizer)
        except TokenizeUnavailableError as error:
            log.info("tokenizer not checked", extra={"engine": target.replica, "error": str(error)})
            return
        self.left(target.replica)
        if not agreed:
            log.error("engine tokenizes otherwise", extra={"engine": target.replica, "model": target.model})
            self._disagreeing[target.replica] = target

    def left(self, replica: str) -> None:
        """An engine is gone; what it disagreed about no longer matters."""
        self._disagreeing.pop(replica, None)

    def unusable(self, model: str) -> UnknownReason | None:
        """Why there are no tokens for `model`; None when there are."""
        if model not in self._by_model:
            return UnknownReason.NO_TOKENIZER
        if any(target.model == model for target in self._disagreeing.values()):
            return UnknownReason.TOKENIZER_MISMATCH
        return None

    async def tokens(self, model: str, path: str, body: Mapping[str, Any]) -> array[int]:
        """The prompt's token ids: about a microsecond for each that was not seen before. Raises PlacementUnknownError."""
        if (reason := self.unusable(model)) is not None:
            raise PlacementUnknownError(reason)
        tokenizer = self._by_model[model]
        prompt = await self._prompt(tokenizer, path, body)
        if not isinstance(prompt, PromptText):
            return prompt
        draft = tokenizer.draft(prompt)
        if draft.missing <= self._inline_characters:
            return tokenizer.tokens(prompt, draft)
        return await self._threads.run(draft.missing, lambda wanted: tokenizer.tokens(prompt, draft, wanted))

    def use(self) -> Iterator[TokenUse]:
        """Of each tokenizer that is loaded."""
        first = {id(tokenizer): (model, tokenizer.parts) for model, tokenizer in reversed(list(self._by_model.items()))}
        for model, parts in first.values():
            yield TokenUse(model, parts.cached_tokens, parts.computed_tokens, parts.cache.bytes)

    async def _prompt(self, tokenizer: ChatTokenizer, path: str, body: Mapping[str, Any]) -> PromptText | array[int]:
        if path == Endpoint.COMPLETION:
            return tokenizer.completion_prompt(body)
        if path != Endpoint.CHAT:
            raise PlacementUnknownError(UnknownReason.UNSUPPORTED_ENDPOINT)
        messages = body.get("messages")
        if isinstance(messages, list) and len(messages) > INLINE_MESSAGES:
            return await self._threads.run(0, lambda wanted: tokenizer.chat_prompt(body))
        return tokenizer.chat_prompt(body)

    async def _load(self, model_root: str) -> ChatTokenizer:
        async with self._loading:
            if model_root not in self._by_root:
                self._by_root[model_root] = await asyncio.to_thread(ChatTokenizer.load, model_root, self._cache_bytes)
            return self._by_root[model_root]
