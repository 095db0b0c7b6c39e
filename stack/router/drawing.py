"""Draws requests into the arms of an experiment: a session's all into the same one, at every router that has the same secret."""

from __future__ import annotations

from stack.router.applied import Fork, Served
from stack.router.message import Request
from stack.router.openai import ParsedBody
from stack.router.sessions import Sessions

UNIT_BYTES = 6  # so that of fifty thousand units hardly two are taken for one


class Drawing:
    """By chance and not by turn: whoever compares the arms relies on it, and a client cannot choose its arm."""

    def __init__(self, sessions: Sessions) -> None:
        self._sessions = sessions

    def draw(self, request: Request, parsed: ParsedBody, request_id: str, fork: Fork) -> tuple[Served, str | None]:
        """The request's arm; and its session under a name of the experiment's own, None where the request stands for itself.

        Sessions are found where they are without the experiment, whatever the candidate says of it.
        """
        session = self._sessions.key(request, parsed, fork.control.session_places)
        lot = f"request {request_id}" if session is None else f"session {session}"
        number = self._sessions.drawn(f"experiment {fork.experiment} {lot}")
        served = fork.candidate if int.from_bytes(number[:8], "big") < fork.share * 2**64 else fork.control
        return served, None if session is None else number[8 : 8 + UNIT_BYTES].hex()
