"""Tokens for tests: the secret of each is its name, unless said otherwise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from stack.control.access import Grant, Role, digest


def grant(name: str, role: Role, secret: str | None = None) -> Grant:
    return Grant(name=name, role=role, sha256=digest(name if secret is None else secret))


ALL = tuple(grant(role.value, role) for role in Role)


@dataclass
class Known:
    """Tokens without a file."""

    tokens: Sequence[Grant]
    faults: int = 0

    def grants(self) -> Sequence[Grant]:
        return self.tokens


EVERYBODY = Known(ALL)


def bearer(secret: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {secret}"}
