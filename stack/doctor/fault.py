"""Why something could not be asked, in few words."""

from __future__ import annotations

import httpx


def fault(error: Exception) -> str:
    """The status and the path of what was answered, else the kind of error. Never a host or a query: they may hold secrets."""
    if isinstance(error, httpx.HTTPStatusError):
        return f"{error.response.status_code} at {error.request.url.path}"
    return type(error).__name__
