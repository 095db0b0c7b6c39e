"""The store: Redis or Valkey, the L2 tier of the KV cache."""

from __future__ import annotations

from pathlib import Path

from stack.local.components.site import LOOPBACK, OBSERVER_NICE, Site
from stack.local.probes import RedisProbe
from stack.local.process import Command
from stack.local.spec import Spec, Stage

NAME = "redis"


def store(site: Site, program: Path) -> Spec:
    """A cache, so: nothing on disk, and the least recently used keys go when it is full."""
    port = site.ports.store
    argv = (
        str(program),
        *("--port", str(port), "--bind", LOOPBACK, "--daemonize", "no"),
        *("--save", "", "--appendonly", "no", "--dir", str(site.layout.runtime)),
        *("--maxmemory", str(int(site.settings.store_gib * (1 << 30))), "--maxmemory-policy", "allkeys-lru"),
    )
    url = f"redis://{LOOPBACK}:{port}"
    command = Command(host=site.host, kind="store", argv=argv, stage=Stage.STORE, grace=5.0, nice=OBSERVER_NICE, url=url)
    return Spec(
        name=NAME,
        kind="store",
        stage=Stage.STORE,
        launch=command,
        probe=RedisProbe(LOOPBACK, port),
        url=url,
        ready_within=20.0,
        log=site.log(NAME),
    )
