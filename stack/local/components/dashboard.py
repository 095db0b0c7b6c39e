"""The dashboard, a Streamlit process."""

from __future__ import annotations

from stack.local.components.site import LOOPBACK, OBSERVER_NICE, Site
from stack.local.probes import HttpProbe
from stack.local.process import Command
from stack.local.spec import Spec, Stage

NAME = "dashboard"


def dashboard(site: Site) -> Spec:
    """Where control takes tokens, people sign in with their own."""
    url, ports = site.url(site.ports.dashboard), site.ports
    argv = site.kvdeck(
        "dashboard",
        *("--listen", f"{LOOPBACK}:{ports.dashboard}"),
        *("--prometheus-url", site.url(ports.prometheus), "--control-url", site.url(ports.control)),
        *(("--sign-in",) if site.tokens else ()),
    )
    environment = {"KVDECK_ALERTMANAGER_URL": site.url(ports.alertmanager), "KVDECK_ROUTER_URL": site.url(ports.router)}
    command = Command(
        host=site.host, kind=NAME, argv=argv, environment=environment, stage=Stage.FACE, grace=5.0, nice=OBSERVER_NICE, url=url
    )
    return Spec(
        name=NAME,
        kind=NAME,
        stage=Stage.FACE,
        launch=command,
        probe=HttpProbe(site.client, f"{url}/_stcore/health"),
        url=url,
        ready_within=120.0,
        log=site.log(NAME),
    )
