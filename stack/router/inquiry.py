"""Turns an HTTP request into what strategies decide by: size, prefix, session, and where its KV lies."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any, Protocol

from stack.cache.prefix import opening_of, prefix_hashes, whole_hash
from stack.cache.sent import SentPrefixes
from stack.fleet.snapshot import Fleet
from stack.model.placement import Placement, PlacementUnknownError, UnknownReason
from stack.model.request import RouteRequest
from stack.router.applied import Served
from stack.router.message import Request
from stack.router.openai import ParsedBody
from stack.router.placing import Placing
from stack.router.planning import meant_path
from stack.router.prompt import laid_out
from stack.router.sessions import Sessions
from stack.router.settings import RouterSettings
from stack.router.turns import Turns

_UNKNOWN = {reason: Placement(unknown_reason=reason) for reason in UnknownReason}


class Tokens(Protocol):
    """Tells a prompt's token ids."""

    def unusable(self, model: str) -> UnknownReason | None:
        """Why there are no tokens for `model`; None when there are."""
        ...

    async def tokens(self, model: str, path: str, body: Mapping[str, Any]) -> Sequence[int]:
        """The prompt's token ids, without holding up the loop. Raises PlacementUnknownError."""
        ...


class Inquiry:
    """Builds route requests, each with its turn: `sequence` is what round-robin goes by."""

    def __init__(
        self,
        tokens: Tokens,
        placing: Placing,
        sessions: Sessions,
        sent: SentPrefixes,
        settings: RouterSettings,
        clock: Callable[[], float],
    ) -> None:
        self._tokens = tokens
        self._placing = placing
        self._sessions = sessions
        self._sent = sent
        self._settings = settings
        self._clock = clock
        self._turns = Turns()

    async def about(self, request: Request, parsed: ParsedBody, request_id: str, fleet: Fleet, served: Served) -> RouteRequest:
        """Everything that is known of the request. What cannot be known is said to be unknown, never guessed."""
        model = fleet.base(parsed.model)
        tokens, placement = await self._placed(parsed, model, fleet)
        return self._route(request, parsed, request_id, served, model, tokens, placement)

    def at_once(self, request: Request, parsed: ParsedBody, request_id: str, fleet: Fleet, served: Served) -> RouteRequest | None:
        """The same, where no tokens have to be waited for; else None."""
        model = fleet.base(parsed.model)
        if (reason := self._tokens.unusable(model)) is None:
            return None
        return self._route(request, parsed, request_id, served, model, None, _UNKNOWN[reason])

    def _route(
        self,
        request: Request,
        parsed: ParsedBody,
        request_id: str,
        served: Served,
        model: str,
        tokens: Sequence[int] | None,
        placement: Placement,
    ) -> RouteRequest:
        adapter = None if model == parsed.model else parsed.model
        data, opening = laid_out(parsed, adapter) if parsed.routed else (request.body, None)
        prompt_tokens = -(-len(data) // self._settings.bytes_per_token) if tokens is None else len(tokens)
        seed = _seed(model)
        pieces = prefix_hashes(data, seed)
        opening_hash, opening_pieces = (None, 0) if opening is None else opening_of(data, opening, pieces, seed)
        if opening_hash is not None and 0 < len(pieces) <= opening_pieces:
            pieces.append(opening_hash)
        now = self._clock()
        return RouteRequest(
            request_id=request_id,
            model=model,
            sequence=self._turns.take(parsed.model, meant_path(parsed, prompt_tokens, served.policy), served.arm),
            prompt_tokens=prompt_tokens,
            tokens_exact=tokens is not None,
            prompt_bytes=len(data),
            prefix_hashes=pieces,
            opening_hash=opening_hash,
            opening_pieces=opening_pieces,
            session_key=self._sessions.key(request, parsed, served.session_places),
            recalled=self._sent.recall(pieces, now),
            placement=placement,
            now=now,
            adapter=adapter,
        )

    async def _placed(self, parsed: ParsedBody, model: str, fleet: Fleet) -> tuple[Sequence[int] | None, Placement]:
        if (reason := self._tokens.unusable(model)) is not None:  # for most models that has one, every request's
            return None, _UNKNOWN[reason]
        try:
            tokens = await self._tokens.tokens(model, parsed.path, parsed.fields)
            return tokens, self._placing.of(parsed, tokens, fleet, self._clock())
        except PlacementUnknownError as error:
            return None, _UNKNOWN[error.reason]


@lru_cache(maxsize=1024)
def _seed(model: str) -> int:
    """What parts the prompts of one served model from all others'."""
    return whole_hash(model.encode())
