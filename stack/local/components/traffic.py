"""Gentle traffic, so that there is something to see."""

from __future__ import annotations

from stack.local.components import router
from stack.local.components.site import OBSERVER_NICE, Site
from stack.local.probes import StayProbe
from stack.local.process import Command
from stack.local.spec import Spec, Stage

NAME = "traffic"


def traffic(site: Site, engines: tuple[str, ...]) -> Spec:
    """Begins once the router and every engine in `engines` serve."""
    argv = site.kvdeck(
        NAME,
        *("--url", site.url(site.ports.router)),
        *("--scenario", site.settings.traffic_scenario, "--rate", str(site.settings.traffic_rate)),
    )
    return Spec(
        name=NAME,
        kind=NAME,
        stage=Stage.FACE,
        launch=Command(host=site.host, kind=NAME, argv=argv, stage=Stage.FACE, grace=5.0, nice=OBSERVER_NICE),
        probe=StayProbe(),
        after=(router.NAME, *engines),
        ready_within=600.0,
        log=site.log(NAME),
    )
