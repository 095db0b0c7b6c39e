"""Routes that say which role they need, and hold to it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from starlette.requests import Request
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from stack.api.contract import Contract
from stack.api.errors import ApiError, error_response
from stack.api.refusal import Refusal
from stack.control.access import Grant, Role

GRANT = "kvdeck.grant"
STANDING = "kvdeck.standing"
GATE = "kvdeck.gate"
WRITERS = frozenset({Role.OPERATOR, Role.ADMIN})  # what takes one of these changes something
OPEN_PATHS = frozenset({"/health", "/metrics", "/openapi.json"})  # nothing can be changed there, and no secret is told


class Passing(Protocol):
    """Who lets requests pass, and hears of those that may not."""

    async def __call__(self, request: Request, previews: bool) -> None:
        """Lets a request that would change something pass, or raises ApiError; `previews`: it may be a dry run."""

    async def forbidden(self, request: Request, route: str, why: str) -> None:
        """Whoever asked has a token whose role does not include what `route` does."""


Standing = Callable[[], bool]
"""Whether the token that a request came with still counts, for the same role."""


def still(request: Request) -> None:
    """Before a long poll is answered: the token may have been taken back meanwhile. Raises ApiError."""
    standing: Standing = request.scope[STANDING]
    if not standing():
        raise ApiError(401, Refusal.UNAUTHORIZED, "the token counts no more: it was taken back while this waited")


class Permitted(Route):
    """A route for those whose role includes `needs`; None is for everybody, on an open path only."""

    def __init__(
        self,
        method: str,
        path: str,
        endpoint: Callable[..., Any],
        *,
        needs: Role | None,
        contract: Contract,
        steers: bool = True,
    ) -> None:
        """`steers`: what it changes is the fleet, or what is desired of it, which some of control's modes leave alone."""
        if (needs is None) != (path in OPEN_PATHS):
            raise ValueError(f"{path} is either open or needs a role")
        super().__init__(path, endpoint, methods=[method])
        self.method, self.needs, self.contract, self.steers = method, needs, contract, steers

    @property
    def previews(self) -> bool:
        """Whether it knows dry runs."""
        return any(parameter.name == "dry_run" for parameter in self.contract.parameters)

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers, or says which role it takes, or that control's mode takes no changes."""
        if self.needs is not None:
            grant: Grant = scope[GRANT]
            if not grant.role.may(self.needs):
                message = f"{grant.name} is a {grant.role}; this takes the role {self.needs}"
                doorman: Passing = scope[GATE]
                await doorman.forbidden(Request(scope, receive), f"{self.method} {self.path}", message)
                await error_response(403, Refusal.FORBIDDEN, message)(scope, receive, send)
                return
        if self.needs in WRITERS and self.steers:
            gate: Passing = scope[GATE]
            await gate(Request(scope, receive), self.previews)
        await super().handle(scope, receive, send)
