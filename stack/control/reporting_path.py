"""Where cache servers report to control: they can send no token, so with one the path itself is the secret."""

from __future__ import annotations

import hashlib
import hmac

PREFIX = "/v1/lmcache"


def reporting_path(secret: str | None) -> str:
    """The path under which control takes reports; `secret` is its bearer token, None without one. Nothing else opens with it."""
    if secret is None:
        return PREFIX
    return f"{PREFIX}/{hmac.new(secret.encode(), b'cache servers report', hashlib.sha256).hexdigest()[:32]}"
