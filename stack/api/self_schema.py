"""Who asks, for both sides of the control API."""

from __future__ import annotations

import msgspec

from stack.control.access import Role


class SelfView(msgspec.Struct, frozen=True, kw_only=True):
    """`GET /v1/self`: whom the request's token stands for. `tokens` is false where control has none."""

    name: str
    role: Role
    tokens: bool
