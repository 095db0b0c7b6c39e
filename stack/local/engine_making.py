"""What the supervisor needs in order to make an engine, and how it says that it will not."""

from __future__ import annotations

from typing import Protocol

from stack.adapters.supervisor_link import SupervisorRequest
from stack.local.seats import Seat
from stack.local.spec import Spec
from stack.model.tier import Pool


class RefusedError(Exception):
    """What was asked cannot be done; the message is one line that says what to do."""


class EngineMaker(Protocol):
    """Knows how an engine of this stack is started."""

    def __call__(self, seat: Seat) -> Spec:
        """Raises RefusedError."""
        ...


def asked_pool(request: SupervisorRequest) -> Pool:
    """The pool that `request` names. Raises RefusedError."""
    try:
        return Pool(request.pool or "")
    except ValueError:
        raise RefusedError(f"no pool {request.pool!r}; there are: {', '.join(Pool)}") from None
