"""The emulator, one process, and the engines in it."""

from __future__ import annotations

from collections.abc import Callable

from stack.local.components import lmcache
from stack.local.components.engine import target
from stack.local.components.site import ENGINE_NICE, LOOPBACK, Site
from stack.local.emulated import EmulatedEngine
from stack.local.probes import EngineProbe, HttpProbe
from stack.local.process import Command
from stack.local.seats import Seat
from stack.local.spec import Spec, Stage

NAME = "emulator"


def emulator(site: Site) -> Spec:
    """The process. Its admin address takes the port that LMCache would have: an emulated stack has none."""
    url = _admin(site)
    argv = site.kvdeck(
        NAME,
        *("--admin", f"{LOOPBACK}:{site.ports.lmcache_http}"),
        *("--profile", site.settings.emulator_profile),
        *("--coordinator-url", lmcache.reports_to(site)),
    )
    return Spec(
        name=NAME,
        kind=NAME,
        stage=Stage.CACHE,
        launch=Command(host=site.host, kind=NAME, argv=argv, stage=Stage.CACHE, nice=ENGINE_NICE, url=url),
        probe=HttpProbe(site.client, f"{url}/health"),
        url=url,
        log=site.log(NAME),
        note="emulated",
    )


def emulated_engine(site: Site, seat: Seat, pid: Callable[[], int | None]) -> Spec:
    """The engine of `seat`; `pid` tells the emulator's."""
    listed = target(site, seat, site.launch.installed.tokenizer, emulated=True)
    return Spec(
        name=seat.name,
        kind="engine",
        stage=Stage.ENGINE,
        launch=EmulatedEngine(client=site.client, admin=_admin(site), target=listed, pid=pid),
        probe=EngineProbe(site.client, seat.url, site.launch.config.model),
        url=seat.url,
        after=(NAME,),
        target=listed,
        log=site.log(NAME),
        note="emulated",
    )


def _admin(site: Site) -> str:
    return site.url(site.ports.lmcache_http)
