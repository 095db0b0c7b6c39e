"""The dashboard, a Streamlit process."""

from __future__ import annotations

from stack.local.components.site import LOOPBACK, OBSERVER_NICE, Site
from stack.local.probes import HttpProbe
from stack.local.process import Command
from stack.local.spec import Spec, Stage

NAME = "dashboard"


def dashboard(site: Site) -> Spec:
    """It watches no source file and tells nobody that it runs."""
    url, ports, token = site.url(site.ports.dashboard), site.ports, site.token_of(NAME)
    argv = (
        *(str(site.launch.python), "-m", "streamlit", "run", str(site.layout.home / "dashboard" / "app.py")),
        *("--server.address", LOOPBACK, "--server.port", str(ports.dashboard)),
        *("--server.headless", "true", "--server.fileWatcherType", "none"),
        *("--browser.gatherUsageStats", "false"),
    )
    environment = {
        "KVDECK_PROMETHEUS_URL": site.url(ports.prometheus),
        "KVDECK_CONTROL_URL": site.url(ports.control),
        "KVDECK_ALERTMANAGER_URL": site.url(ports.alertmanager),
        "KVDECK_ROUTER_URL": site.url(ports.router),
        **({"KVDECK_CONTROL_TOKEN_FILE": str(token)} if token else {}),
    }
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
