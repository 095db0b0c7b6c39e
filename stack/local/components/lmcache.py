"""The LMCache server: L1 in this machine's memory, L2 in the store, shared by all engines."""

from __future__ import annotations

import msgspec

from stack.adapters.bearer import read_token
from stack.control.reporting_path import reporting_path
from stack.local.components import router, store
from stack.local.components.engine_environment import engine_environment, engine_installation
from stack.local.components.site import ENGINE_NICE, LOOPBACK, Site
from stack.local.probes import HttpProbe
from stack.local.process import Command
from stack.local.spec import Spec, Stage

NAME = "lmcache"
_GIB = 1 << 30
L1_WATERMARK = 0.8  # once a second L1 evicts if it is that full


def lmcache(site: Site, l1_bytes: int) -> Spec:
    """One server; its shared memory carries this stack's digest, so that `down` can tell it from another's."""
    installation = engine_installation(site.launch)
    url = site.url(site.ports.lmcache_http)
    command = Command(
        host=site.host,
        kind=NAME,
        argv=(str(installation.python), "-m", "lmcache.cli.main", "server", *_arguments(site, l1_bytes)),
        environment=engine_environment(installation, site.cache, site.host.environment),
        stage=Stage.CACHE,
        nice=ENGINE_NICE,
        url=url,
    )
    return Spec(
        name=NAME,
        kind=NAME,
        stage=Stage.CACHE,
        launch=command,
        probe=HttpProbe(site.client, f"{url}/healthcheck"),
        url=url,
        after=(store.NAME,),
        renewed_by=(store.NAME,),  # its connector never connects again: L2 would stay lost, with a warning in the log
        ready_within=300.0,
        log=site.log(NAME),
    )


def shared_memory_name(digest: str) -> str:
    """The name under /dev/shm that LMCache makes of the one it is given."""
    return f"lmcache_l1_pool_{digest}"


def reports_to(site: Site) -> str:
    """Where cache servers report: to control, which takes the place of LMCache's coordinator."""
    return site.url(site.ports.control) + reporting_path(read_token(site.token_of(router.NAME)))


def configured_l1(site: Site) -> int:
    """The bytes of L1 that the stack begins with: those that are desired, else those of `local`."""
    return site.launch.config.desired.tiers.l1.bytes or int(site.settings.l1_gib * _GIB)


def _arguments(site: Site, l1_bytes: int) -> tuple[str, ...]:
    ports, settings = site.ports, site.settings
    second_tier = {
        "type": "resp",
        "host": LOOPBACK,
        "port": ports.store,
        "num_workers": 2,
        "max_capacity_gb": settings.store_gib,
    }
    return (
        *("--instance-id", NAME),
        *("--host", LOOPBACK, "--port", str(ports.lmcache)),
        *("--http-host", LOOPBACK, "--http-port", str(ports.lmcache_http)),
        *("--chunk-size", str(settings.chunk_size)),
        *("--l1-size-gb", str(l1_bytes / _GIB), "--no-l1-use-lazy"),
        *("--eviction-policy", "LRU", "--eviction-trigger-watermark", str(L1_WATERMARK), "--eviction-ratio", "0.3"),
        # With the default mode a CPU engine hangs when it registers its KV cache.
        *("--supported-transfer-mode", "auto", "--shm-name", site.digest),
        *("--metrics-sample-rate", "1.0"),
        # Control takes the coordinator's place: routers learn from it what lies where. Else it would advertise an address
        # that is not loopback.
        *("--coordinator-url", reports_to(site)),
        *("--coordinator-advertise-ip", LOOPBACK, "--coordinator-heartbeat-interval", "2"),
        *("--coordinator-event-reporting", "--coordinator-event-flush-interval", "0.5"),
        *("--l2-adapter", msgspec.json.encode(second_tier).decode()),
    )
