"""Asks an engine which version it is."""

from __future__ import annotations

import httpx

from stack.adapters.exposition import ExpositionError, fetch_json

_LONGEST = 64


async def engine_version(client: httpx.AsyncClient, url: str) -> str | None:
    """What the engine at `url` says at /version, None while it does not say. The deadline is the caller's."""
    try:
        answer = await fetch_json(client, f"{url}/version")
    except (httpx.HTTPError, ExpositionError):  # old engines have no such page, and what depends on it can do without
        return None
    told = answer.get("version") if isinstance(answer, dict) else None
    return told[:_LONGEST] if isinstance(told, str) and told.isprintable() else None
