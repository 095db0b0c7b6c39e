"""Who may do what: grants of roles to bearer tokens, which are kept as hashes alone."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Sequence
from enum import StrEnum
from typing import Annotated

import msgspec


class Role(StrEnum):
    """What a token is for. `router` is a machine's: it reads, acknowledges configurations and reports decisions."""

    VIEWER = "viewer"
    OPERATOR = "operator"
    ADMIN = "admin"
    ROUTER = "router"

    def may(self, needed: Role) -> bool:
        """Whether it includes `needed`: everybody may look, an admin may do everything."""
        return needed in (self, Role.VIEWER) or self is Role.ADMIN


class Grant(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One token's name, which the audit log tells, its role, and the SHA-256 of its secret in hex.

    A plain hash is enough: the secret is 256 random bits, which nobody finds by trying, salted or not.
    """

    name: Annotated[str, msgspec.Meta(pattern="^[A-Za-z0-9][A-Za-z0-9._@-]{0,63}$")]
    role: Role
    sha256: Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{64}$")]


class Grants(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A file of tokens."""

    tokens: tuple[Grant, ...] = ()


ANYBODY = Grant(name="anonymous", role=Role.ADMIN, sha256="")
"""Whoever reaches a control without tokens, which only this machine does."""


def digest(secret: str) -> str:
    """What is kept of a secret."""
    return hashlib.sha256(secret.encode()).hexdigest()


def granted(grants: Sequence[Grant], authorization: str | None) -> Grant | None:
    """Whom an Authorization header stands for, None for nobody; takes the same time whichever byte and token differ."""
    scheme, _, secret = (authorization or "").partition(" ")
    sent = digest(secret.strip())
    found = None
    for grant in grants:
        if hmac.compare_digest(grant.sha256, sent):
            found = grant
    return found if scheme.lower() == "bearer" else None
