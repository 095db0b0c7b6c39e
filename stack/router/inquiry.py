"""Turns an HTTP request into what strategies decide by: size, prefix, session, and where its KV lies."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from stack.cache.prefix import PIECE_BYTES, prefix_hashes, whole_hash
from stack.cache.under_way import UnderWay
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
        under_way: UnderWay,
        settings: RouterSettings,
        clock: Callable[[], float],
    ) -> None:
        self._tokens = tokens
        self._placing = placing
        self._sessions = sessions
        self._under_way = under_way
        self._settings = settings
        self._clock = clock
        self._turns = Turns()

    async def about(self, request: Request, parsed: ParsedBody, request_id: str, fleet: Fleet, served: Served) -> RouteRequest:
        """Everything that is known of the request. What cannot be known is said to be unknown, never guessed."""
        model = fleet.base(parsed.model)
        adapter = None if model == parsed.model else parsed.model
        data, opening = laid_out(parsed, adapter) if parsed.routed else (request.body, None)
        tokens, placement = await self._placed(parsed, model, fleet)
        prompt_tokens = -(-len(data) // self._settings.bytes_per_token) if tokens is None else len(tokens)
        pieces = prefix_hashes(data)
        return RouteRequest(
            request_id=request_id,
            model=model,
            sequence=self._turns.take(parsed.model, meant_path(parsed, prompt_tokens, served.policy)),
            prompt_tokens=prompt_tokens,
            tokens_exact=tokens is not None,
            prefix_hashes=pieces,
            prefix_piece_bytes=PIECE_BYTES,
            opening_hash=None if opening is None else whole_hash(memoryview(data)[:opening]),
            opening_pieces=(opening or 0) // PIECE_BYTES,
            session_key=self._sessions.key(request, parsed, served.session_keys),
            under_way=self._under_way.matched(pieces),
            placement=placement,
            now=self._clock(),
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
