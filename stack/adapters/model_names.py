"""Which model each engine serves, as it says itself: for lists of engines that leave that out."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import httpx
from msgspec.structs import replace

from stack.engines.model_cards import ModelCard, own_models
from stack.model.target import Target

_DEADLINE_SECONDS = 2.0  # as long as a probe has
_AT_ONCE = 32


class ModelNames:
    """Asks engines at /v1/models. An engine that has not answered serves nothing yet, and is not told of."""

    def __init__(self, http: httpx.AsyncClient, authorization: str | None = None) -> None:
        self._http = http
        self._headers = {} if authorization is None else {"authorization": authorization}
        self._learnt: dict[tuple[str, str], ModelCard] = {}
        self._turns = asyncio.Semaphore(_AT_ONCE)

    def named(self, targets: Sequence[Target]) -> list[Target]:
        """Those whose model is known, with its name and its root."""
        return [known for target in targets if (known := self._named(target)) is not None]

    async def learn(self, targets: Sequence[Target]) -> None:
        """Ask all whose model is not known; what is known of others is forgotten. Never fails: an engine may well be loading."""
        there = {_key(target) for target in targets}
        self._learnt = {key: card for key, card in self._learnt.items() if key in there}
        await asyncio.gather(*(self._ask(target) for target in targets if self._named(target) is None))

    def _named(self, target: Target) -> Target | None:
        if target.model:
            return target
        card = self._learnt.get(_key(target))
        return None if card is None else replace(target, model=card.name, model_root=card.root or card.name)

    async def _ask(self, target: Target) -> None:
        try:
            async with self._turns, asyncio.timeout(_DEADLINE_SECONDS):
                answer = await self._http.get(f"{target.url}/v1/models", headers=self._headers)
                cards = own_models(answer.json()) if answer.status_code == httpx.codes.OK else ()
        except (httpx.HTTPError, TimeoutError, ValueError):  # away, loading, or something else
            return
        if cards:
            self._learnt[_key(target)] = cards[0]


def _key(target: Target) -> tuple[str, str]:
    return target.replica, target.url
