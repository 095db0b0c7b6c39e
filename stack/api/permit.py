"""Routes that say which role they need, and hold to it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from stack.api.contract import Contract
from stack.api.errors import error_response
from stack.control.access import Grant, Role

GRANT = "kvdeck.grant"
OPEN_PATHS = frozenset({"/health", "/metrics", "/openapi.json"})  # nothing can be changed there, and no secret is told


class Permitted(Route):
    """A route for those whose role includes `needs`; None is for everybody, on an open path only."""

    def __init__(self, method: str, path: str, endpoint: Callable[..., Any], *, needs: Role | None, contract: Contract) -> None:
        if (needs is None) != (path in OPEN_PATHS):
            raise ValueError(f"{path} is either open or needs a role")
        super().__init__(path, endpoint, methods=[method])
        self.method, self.needs, self.contract = method, needs, contract

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers, or says which role it takes."""
        if self.needs is not None:
            grant: Grant = scope[GRANT]
            if not grant.role.may(self.needs):
                refusal = error_response(403, "forbidden", f"{grant.name} is a {grant.role}; this takes the role {self.needs}")
                await refusal(scope, receive, send)
                return
        await super().handle(scope, receive, send)
