"""A request as the strategies see it: a frozen value, no prompt text."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from stack.model.placement import UNKNOWN, Placement
from stack.model.recalled import NOTHING_RECALLED, Recalled


class RouteRequest(msgspec.Struct, frozen=True, gc=False):
    """What a routing decision may depend on.

    `sequence` counts this router's requests of one model and one intended path, from 0: turns are taken by it.
    `prompt_tokens` is exact when `tokens_exact`, else an estimate from the prompt's bytes. `prefix_hashes` are chained 64-bit
    hashes of the prompt's leading pieces, first piece first, as in stack/cache/prefix.py. `opening_hash` stands for a chat up
    to its user's first message, which stays as it is while the chat grows, and `opening_pieces` for its whole pieces; None for
    what is no chat. Where these are all there are, the opening's hash is the last of `prefix_hashes` as well. `recalled` says
    which engines were sent the prompt's beginning before. `session_key` is None when the client sent none. `now` is the moment
    of the decision in seconds of the router's clock. `adapter` is the LoRA adapter of `model` that was asked for.
    """

    request_id: str
    model: str
    sequence: int
    prompt_tokens: int
    tokens_exact: bool = False
    prompt_bytes: int = 0
    prefix_hashes: Sequence[int] = ()
    opening_hash: int | None = None
    opening_pieces: int = 0
    session_key: str | None = None
    recalled: Recalled = NOTHING_RECALLED
    placement: Placement = UNKNOWN
    now: float = 0.0
    adapter: str | None = None
