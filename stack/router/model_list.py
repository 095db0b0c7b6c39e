"""/v1/models: what the fleet serves, in the engines' own words, asked for off the requests' path."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable

import msgspec

from stack.fleet.adapters import AdaptersListed
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
    """Every engine's cards. An engine tells its adapters in no other way, so the fleet's are learnt here.

    vLLM lists them under their own names, each with the `parent` it was made for, which may be called otherwise than its
    model is served here.
    """

    def __init__(self, keeper: FleetKeeper, upstream: Upstream, settings: RouterSettings) -> None:
        self._keeper = keeper
        self._upstream = upstream
        self._settings = settings
        self._cards: dict[str, dict[str, Card]] = {}
        self._stale = asyncio.Event()

    def document(self) -> bytes:
        """The answer to GET /v1/models: each model that has a ready engine, and its adapters that are on one."""
        fleet, ready = self._keeper.fleet, self._ready()
        names: dict[str, Engine] = {}
        for engine in ready:
            names.setdefault(engine.target.model, engine)
        found = {name: self._card(name, ready) or _bare(engine) for name, engine in names.items()}
        for name, adapter in fleet.adapters.items():
            card = self._card(name, [engine for engine in ready if engine.name in adapter.engines])
            if card is not None:
                found[name] = card
        ordered = sorted(found, key=lambda name: (fleet.base(name), name in fleet.adapters, name))
        return msgspec.json.encode({"object": "list", "data": [found[name] for name in ordered]})

    def refresh_soon(self) -> None:
        """The fleet changed: ask those who are new without waiting for the next round."""
        self._stale.set()

    async def run(self) -> None:
        """Keep the cards fresh until cancelled."""
        everyone = True
        while True:
            self._stale.clear()
            await self.refresh(everyone=everyone)
            try:
                async with asyncio.timeout(self._settings.models_interval_s):
                    await self._stale.wait()
                everyone = False
            except TimeoutError:
                everyone = True

    async def refresh(self, *, everyone: bool = True) -> None:
        """Ask every ready engine, or those that were not asked yet; of one that does not answer the last known cards stay."""
        members = self._keeper.fleet.members
        self._cards = {name: cards for name, cards in self._cards.items() if name in members}
        asked = [engine for engine in self._ready() if everyone or members[engine.name].adapters is None]
        await asyncio.gather(*map(self._learn, asked))

    def _ready(self) -> list[Engine]:
        """Decode engines come first: it is they who answer."""
        engines = [engine for engine in self._keeper.fleet.engines if engine.health is Health.READY]
        return sorted(engines, key=lambda engine: engine.pool is not Pool.DECODE)

    def _card(self, name: str, engines: Iterable[Engine]) -> Card | None:
        """The first that one of `engines` gave."""
        return next((cards[name] for engine in engines if name in (cards := self._cards.get(engine.name, {}))), None)

    async def _learn(self, engine: Engine) -> None:
        cards = await self._ask(engine)
        member = self._keeper.fleet.members.get(engine.name)
        if cards is None or member is None or member.engine.target != engine.target:
            return
        self._cards[engine.name] = cards
        adapters = frozenset(name for name, card in cards.items() if card.get("parent") and name != engine.target.model)
        if adapters == member.adapters:
            return
        self._keeper.apply(AdaptersListed(engine.name, adapters))
        if adapters:
            log.info("adapters listed", extra={"engine": engine.name, "adapters": sorted(adapters)})
        if taken := sorted(adapters - self._keeper.fleet.adapters.keys()):
            log.warning("adapters are not served: their names are taken", extra={"engine": engine.name, "adapters": taken})

    async def _ask(self, engine: Engine) -> dict[str, Card] | None:
        """The engine's cards by name; none when what it answers is no list; None when it does not answer."""
        limit = self._settings.probe_deadline_s
        try:
            async with self._upstream.request(
                engine.target.url, "GET", "/v1/models", _HEADERS, connect_timeout_s=limit, timeout_s=limit
            ) as reply:
                body = await reply.read(ANSWER_BYTES_MAX)
            return {name: card for card in msgspec.json.decode(body, type=_Listing).data if isinstance(name := card.get("id"), str)}
        except (UpstreamError, msgspec.DecodeError, UnicodeDecodeError) as error:
            log.info("no model list", extra={"engine": engine.name, "error": type(error).__name__})
            return None if isinstance(error, UpstreamError) else {}


def _bare(engine: Engine) -> Card:
    """What is known of a model before an engine gave its card."""
    target = engine.target
    return {"id": target.model, "object": "model", "owned_by": "kvdeck", "root": target.model_root}
