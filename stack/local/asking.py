"""The supervisor, asked from a command: blocking, and None where there is none."""

from __future__ import annotations

import asyncio

from stack.adapters.supervisor_link import Component, SupervisorAnswer, SupervisorRequest, SupervisorUnavailableError, ask
from stack.config import Layout


class NotRunningError(Exception):
    """There is no supervisor; the message says what to do."""


def asked(layout: Layout, op: str, name: str | None = None) -> SupervisorAnswer:
    """The supervisor's answer. Raises NotRunningError."""
    try:
        return asyncio.run(ask(layout.supervisor_socket, SupervisorRequest(op=op, name=name)))
    except SupervisorUnavailableError:
        raise NotRunningError("the stack does not run here: kvdeck up starts it") from None


def listed(layout: Layout) -> tuple[Component, ...]:
    """Every component, the supervisor first; none without a supervisor."""
    try:
        return asked(layout, "status").components
    except NotRunningError:
        return ()
