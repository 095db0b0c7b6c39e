"""The store's server."""

from __future__ import annotations

import os
from pathlib import Path

from stack.local.install.store import find_store


def test_redis_on_path_comes_first() -> None:
    paths = {"redis-server": "/usr/bin/redis-server", "valkey-server": "/usr/bin/valkey-server"}
    assert find_store(paths.get) == Path("/usr/bin/redis-server")
    del paths["redis-server"]
    assert find_store(paths.get) == Path("/usr/bin/valkey-server")


def test_without_either_the_bundled_one_is_used() -> None:
    bundled = find_store(lambda name: None)
    assert bundled.name == "valkey-server"
    assert os.access(bundled, os.X_OK)
