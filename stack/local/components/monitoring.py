"""Prometheus and Alertmanager, with this project's rules."""

from __future__ import annotations

from stack.local.components.site import LOOPBACK, OBSERVER_NICE, Site
from stack.local.install.plan import Monitoring
from stack.local.probes import HttpProbe
from stack.local.process import Command
from stack.local.spec import Spec, Stage
from stack.local.unpacked_alertmanager import runnable

PROMETHEUS = "prometheus"
ALERTMANAGER = "alertmanager"


def prometheus(site: Site, monitoring: Monitoring) -> Spec:
    """Keeps two days, half a gigabyte at most: this is one machine's memory, not an archive."""
    folder = site.layout.state / PROMETHEUS
    assets = monitoring.web_assets
    argv = (
        str(monitoring.prometheus),
        f"--config.file={site.prometheus_file}",
        f"--storage.tsdb.path={folder / 'data'}",
        f"--storage.tsdb.retention.time={site.settings.prometheus_retention}",
        "--storage.tsdb.retention.size=512MB",
        f"--web.listen-address={LOOPBACK}:{site.ports.prometheus}",
        *((f"--web.local-assets={assets}",) if assets else ()),
        "--log.level=warn",
    )
    return _service(site, PROMETHEUS, argv, site.ports.prometheus)


def alertmanager(site: Site, monitoring: Monitoring) -> Spec:
    """Alone: an empty cluster address stops gossip."""
    argv = (
        str(runnable(monitoring.alertmanager, site.layout)),
        f"--config.file={site.layout.alerts / 'alertmanager.yaml'}",
        f"--storage.path={site.layout.state / ALERTMANAGER}",
        f"--web.listen-address={LOOPBACK}:{site.ports.alertmanager}",
        "--cluster.listen-address=",
        "--log.level=warn",
    )
    return _service(site, ALERTMANAGER, argv, site.ports.alertmanager)


def _service(site: Site, name: str, argv: tuple[str, ...], port: int) -> Spec:
    url = site.url(port)
    return Spec(
        name=name,
        kind=name,
        stage=Stage.SERVICE,
        launch=Command(host=site.host, kind=name, argv=argv, stage=Stage.SERVICE, nice=OBSERVER_NICE, url=url),
        probe=HttpProbe(site.client, f"{url}/-/ready"),
        url=url,
        log=site.log(name),
    )
