"""/v1/models: what the fleet serves, in the engines' own words, asked for off the requests' path."""

from __future__ import annotations

import asyncio
import logging

import msgspec

from stack.fleet.engine import Engine, Health
from stack.model.tier import Pool
from stack.router.fleet_keeper import FleetKeeper
from stack.router.header_fields import header_lines
from stack.router.settings import RouterSettings
from stack.router.upstream import Upstream
from stack.router.upstream_errors import UpstreamError

log = logging.getLogger(__name__)

ANSWER_BYTES_MAX = 1 << 20
_HEADERS = header_lines(((b"accept", b"application/json"),))

Card = dict[str, object]


class _Listing(msgspec.Struct):
    data: list[Card]


class ModelList:
    """Each served model's card, as one of its ready engines gives it; decode engines come first."""

    def __init__(self, keeper: FleetKeeper, upstream: Upstream, settings: RouterSettings) -> None:
        self._keeper = keeper
        self._upstream = upstream
        self._settings = settings
        self._cards: dict[str, Card] = {}
        self._stale = asyncio.Event()

    def document(self) -> bytes:
        """The answer to GET /v1/models: every model that has a ready engine."""
        cards = [self._cards.get(name) or _bare(engine) for name, engine in self._spokesmen().items()]
        return msgspec.json.encode({"object": "list", "data": cards})

    def refresh_soon(self) -> None:
        """The fleet changed: ask again without waiting for the next round."""
        self._stale.set()

    async def run(self) -> None:
        """Keep the cards fresh until cancelled."""
        while True:
            self._stale.clear()
            await self.refresh()
            try:
                async with asyncio.timeout(self._settings.models_interval_s):
                    await self._stale.wait()
            except TimeoutError:
                pass

    async def refresh(self) -> None:
        """Ask one ready engine of each model; one that does not answer leaves the last known card."""
        spokesmen = self._spokesmen()
        cards = await asyncio.gather(*(self._ask(engine) for engine in spokesmen.values()))
        self._cards = {
            name: card or self._cards[name]
            for name, card in zip(spokesmen, cards, strict=True)
            if card is not None or name in self._cards
        }

    def _spokesmen(self) -> dict[str, Engine]:
        engines = [engine for engine in self._keeper.fleet.engines if engine.health is Health.READY]
        engines.sort(key=lambda engine: engine.pool is not Pool.DECODE)
        found: dict[str, Engine] = {}
        for engine in engines:
            found.setdefault(engine.target.model, engine)
        return dict(sorted(found.items()))

    async def _ask(self, engine: Engine) -> Card | None:
        limit = self._settings.probe_deadline_s
        try:
            async with self._upstream.request(
                engine.target.url, "GET", "/v1/models", _HEADERS, connect_timeout_s=limit, timeout_s=limit
            ) as reply:
                body = await reply.read(ANSWER_BYTES_MAX)
            cards = msgspec.json.decode(body, type=_Listing).data
        except (UpstreamError, msgspec.DecodeError) as error:
            log.info("no model list", extra={"engine": engine.name, "error": type(error).__name__})
            return None
        return next((card for card in cards if card.get("id") == engine.target.model), None)


def _bare(engine: Engine) -> Card:
    """What is known of a model before an engine gave its card."""
    target = engine.target
    return {"id": target.model, "object": "model", "owned_by": "kvdeck", "root": target.model_root}
