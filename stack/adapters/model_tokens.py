"""Which models this router can tokenize for, checked against the engines that serve them."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from enum import StrEnum
from typing import Any

import httpx

from stack.adapters.chat_tokens import ChatTokenizer, NoTokenizerError
from stack.adapters.tokenize_check import TokenizeUnavailableError, agrees
from stack.model.placement import PlacementUnknownError, UnknownReason
from stack.model.target import Target

log = logging.getLogger(__name__)


class Endpoint(StrEnum):
    """The requests whose prompt is known here."""

    CHAT = "/v1/chat/completions"
    COMPLETION = "/v1/completions"


class ModelTokens:
    """One ChatTokenizer a model, loaded when its first engine joins. `client` asks the engines' /tokenize.

    While an engine of a model tokenizes otherwise, that model's requests have no tokens here: `tokenizer_mismatch`.
    """

    def __init__(self, client: httpx.AsyncClient) -> None:
        self._client = client
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

    def tokens(self, model: str, path: str, body: Mapping[str, Any]) -> list[int]:
        """The prompt's token ids; 2,000 tokens take about 2 ms, in any thread. Raises PlacementUnknownError."""
        if (reason := self.unusable(model)) is not None:
            raise PlacementUnknownError(reason)
        if path == Endpoint.CHAT:
            return self._by_model[model].chat(body)
        if path == Endpoint.COMPLETION:
            return self._by_model[model].completion(body)
        raise PlacementUnknownError(UnknownReason.UNSUPPORTED_ENDPOINT)

    async def _load(self, model_root: str) -> ChatTokenizer:
        async with self._loading:
            if model_root not in self._by_root:
                self._by_root[model_root] = await asyncio.to_thread(ChatTokenizer.load, model_root)
            return self._by_root[model_root]
