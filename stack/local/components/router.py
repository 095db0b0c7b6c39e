"""The router: where clients come."""

from __future__ import annotations

from stack.local.components.site import LOOPBACK, Site
from stack.local.probes import HttpProbe
from stack.local.process import Command
from stack.local.spec import Spec, Stage

NAME = "router"
DRAIN_SECONDS = 20


def router(site: Site) -> Spec:
    """It says in each answer where that came from: here nobody is to be kept from knowing."""
    url = site.url(site.ports.router)
    token = site.token_of(NAME)
    argv = site.kvdeck(
        NAME,
        *("--listen", f"{LOOPBACK}:{site.ports.router}", "--id", "router-0"),
        *("--targets", str(site.layout.targets)),
        *("--control-url", site.url(site.ports.control)),
        *(("--control-token-file", str(token)) if token else ()),
        *("--config", str(site.desired_file)),
        *("--secret-file", str(site.layout.state / "router.secret")),
        *("--expose-route-headers", "--drain", str(DRAIN_SECONDS)),
    )
    command = Command(host=site.host, kind=NAME, argv=argv, stage=Stage.SERVICE, grace=DRAIN_SECONDS + 5.0, url=url)
    return Spec(
        name=NAME,
        kind=NAME,
        stage=Stage.SERVICE,
        launch=command,
        probe=HttpProbe(site.client, f"{url}/health"),
        url=url,
        log=site.log(NAME),
    )
