"""The exporter: one vocabulary for engines, LMCache and the store."""

from __future__ import annotations

from stack.local.components import lmcache, store
from stack.local.components.site import LOOPBACK, OBSERVER_NICE, Site
from stack.local.probes import HttpProbe
from stack.local.process import Command
from stack.local.spec import Spec, Stage

NAME = "exporter"


def exporter(site: Site) -> Spec:
    """Emulated engines bring their own tiers: then there is neither LMCache nor a store to ask."""
    url = site.url(site.ports.exporter)
    tiers = () if site.is_emulated else _tiers(site)
    argv = (
        *(str(site.launch.python), "-m", "exporters"),
        *("--web.listen-address", f"{LOOPBACK}:{site.ports.exporter}"),
        *("--target.file", str(site.layout.targets)),
        *tiers,
    )
    return Spec(
        name=NAME,
        kind=NAME,
        stage=Stage.SERVICE,
        launch=Command(host=site.host, kind=NAME, argv=argv, stage=Stage.SERVICE, nice=OBSERVER_NICE, url=url),
        probe=HttpProbe(site.client, f"{url}/healthz"),
        url=url,
        log=site.log(NAME),
    )


def _tiers(site: Site) -> tuple[str, ...]:
    return (
        *("--lmcache", f"{lmcache.NAME}={site.url(site.ports.lmcache_http)}"),
        *("--store", f"{store.NAME}=redis://{LOOPBACK}:{site.ports.store}"),
    )
