"""Control: the desired state and its API."""

from __future__ import annotations

from stack.control.mode import Mode
from stack.local.components.site import LOOPBACK, Site
from stack.local.probes import HttpProbe
from stack.local.process import Command
from stack.local.spec import Spec, Stage

NAME = "control"


def control(site: Site) -> Spec:
    """It asks this supervisor for engines over the socket."""
    url = site.url(site.ports.control)
    decisions = site.settings.decisions_path(site.layout.home)
    kept = () if decisions is None else ("--decisions-dir", str(decisions), "--decisions-format", site.settings.decisions_format)
    argv = site.kvdeck(
        NAME,
        *("--listen", f"{LOOPBACK}:{site.ports.control}"),
        *("--state-dir", str(site.layout.state / NAME)),
        *("--targets", str(site.layout.targets)),
        *("--supervisor-socket", str(site.layout.supervisor_socket)),
        *("--config", str(site.desired_file)),
        *("--mode", site.launch.config.control.mode or Mode.LIVE),
        *("--run", site.launch.run),
        *(word for path in site.tokens for word in ("--tokens", str(path))),
        *("--cache-store", _store(site)),
        *_watchers(site),
        *kept,
        *(("--experiments",) if site.settings.experiments else ()),
    )
    return Spec(
        name=NAME,
        kind=NAME,
        stage=Stage.SERVICE,
        launch=Command(host=site.host, kind=NAME, argv=argv, stage=Stage.SERVICE, url=url),
        probe=HttpProbe(site.client, f"{url}/health"),
        url=url,
        log=site.log(NAME),
    )


def _watchers(site: Site) -> tuple[str, ...]:
    """Where alerts are asked, where there is a Prometheus."""
    if site.launch.installed.monitoring is None:
        return ()
    ports = site.ports
    return ("--alertmanager-url", site.url(ports.alertmanager), "--prometheus-url", site.url(ports.prometheus))


def _store(site: Site) -> str:
    """The emulator says of its L2 what a store would, at the port that LMCache has otherwise."""
    return f"{site.url(site.ports.lmcache_http)}/store" if site.is_emulated else f"redis://{LOOPBACK}:{site.ports.store}"
