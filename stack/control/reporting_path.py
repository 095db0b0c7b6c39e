"""Where cache servers report to control: they can send no token, so with tokens the path itself is the secret."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Sequence

from stack.control.access import Grant, Role, digest

PREFIX = "/v1/lmcache"


def reporting_path(secret: str | None) -> str:
    """The path under which a cache server reports; `secret` is a router's token, None where there are none.

    Nothing else opens with it.
    """
    return PREFIX if secret is None else f"{PREFIX}/{_key(digest(secret))}"


def reporter(path: str, grants: Sequence[Grant]) -> tuple[Grant, str] | None:
    """Whose secret is in `path`, and the path without it; None for a path without one."""
    if not path.startswith(f"{PREFIX}/"):
        return None
    sent, _, rest = path.removeprefix(f"{PREFIX}/").partition("/")
    found = None
    for grant in grants:
        if grant.role is Role.ROUTER and hmac.compare_digest(_key(grant.sha256).encode(), sent.encode()):
            found = grant
    return None if found is None else (found, f"{PREFIX}/{rest}")


def _key(hashed: str) -> str:
    return hmac.new(hashed.encode(), b"cache servers report", hashlib.sha256).hexdigest()[:32]
