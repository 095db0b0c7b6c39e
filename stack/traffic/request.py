"""One request to send, and what came of it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import msgspec


class Failure(StrEnum):
    """Why a request counts as failed. REFUSED is any 4xx, ENDED_EARLY a stream without its end."""

    REFUSED = "refused"
    SERVER_ERROR = "server_error"
    CONNECTION = "connection"
    TIMEOUT = "timeout"
    ERROR_EVENT = "error_event"
    ENDED_EARLY = "ended_early"
    MALFORMED = "malformed"


@dataclass(frozen=True, slots=True)
class Request:
    """`kind` names what it is for the report; `messages` make a chat, `prompt` a plain completion: one of them is set.

    `session` keeps a conversation together for whoever routes by it. Requests of different `salt` share no cache.
    """

    kind: str
    max_tokens: int
    messages: tuple[tuple[str, str], ...] = ()
    prompt: str | None = None
    session: str | None = None
    salt: str | None = None


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """What a client saw. Seconds; None is unknown, as with an endpoint that does not tell. Never any text."""

    kind: str
    started: float  # since the run began
    status: int | None = None
    failure: Failure | None = None
    first_token_seconds: float | None = None
    total_seconds: float | None = None
    gaps_seconds: tuple[float, ...] = ()
    prompt_tokens: int | None = None
    cached_tokens: int | None = None
    completion_tokens: int | None = None
    path: str | None = None
    engine: str | None = None
