"""The body for one engine that does it all."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def direct_body(fields: Mapping[str, Any]) -> dict[str, Any]:
    """As the client sent it, but a stream always ends with its usage."""
    body = dict(fields)
    if body.get("stream"):
        body["stream_options"] = {**(body.get("stream_options") or {}), "include_usage": True}
    return body
