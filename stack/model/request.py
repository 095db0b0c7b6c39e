"""A request as the strategies see it: a frozen value, no prompt text."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import msgspec

from stack.model.placement import UNKNOWN, Placement

_NOTHING: Mapping[str, int] = MappingProxyType({})


class RouteRequest(msgspec.Struct, frozen=True, gc=False):
    """What a routing decision may depend on.

    `sequence` counts this router's requests of one model and one intended path, from 0: turns are taken by it.
    `prompt_tokens` is exact when `tokens_exact`, else an estimate from the prompt's bytes. `prefix_hashes` are
    chained 64-bit hashes of the prompt's leading pieces of `prefix_piece_bytes` bytes each, first piece first.
    `opening_hash` stands for a chat up to its user's first message, which stays as it is while the chat grows, and
    `opening_pieces` for its whole pieces; None for what is no chat. `under_way` tells how many leading pieces an engine is
    at work on for other requests. `session_key` is None when the client sent
    none. `adapter` is the LoRA adapter of `model` that was asked for.
    `now` is the moment of the decision in seconds of the router's clock: what ages is judged by it, so that a decision
    replays.
    """

    request_id: str
    model: str
    sequence: int
    prompt_tokens: int
    tokens_exact: bool = False
    prefix_hashes: tuple[int, ...] = ()
    prefix_piece_bytes: int = 0
    opening_hash: int | None = None
    opening_pieces: int = 0
    session_key: str | None = None
    under_way: Mapping[str, int] = _NOTHING
    placement: Placement = UNKNOWN
    now: float = 0.0
    adapter: str | None = None
