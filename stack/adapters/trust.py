"""Whose certificates are believed."""

from __future__ import annotations

import functools
import ssl
from pathlib import Path

import httpx


class TrustError(ValueError):
    """A file of certificate authorities cannot be used; the message says which and why."""


def trusting(authorities: Path | None) -> ssl.SSLContext:
    """What httpx takes as `verify`: the authorities in the PEM file alone, or the common ones. Raises TrustError."""
    if authorities is None:
        return _common()
    try:
        return ssl.create_default_context(cafile=authorities)
    except OSError as error:  # what is wrong with its content is an SSLError, which is one
        raise TrustError(f"{authorities} holds no certificates to trust: {error}") from error


@functools.cache
def _common() -> ssl.SSLContext:
    """Once a process: reading all of them takes longer than a page of the dashboard, each of whose sessions has a client."""
    return httpx.create_ssl_context(trust_env=False)
