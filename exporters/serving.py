"""The process: the application behind its passwords and TLS, until a signal ends it."""

from __future__ import annotations

import logging
import math
import os
import signal
import sys
from glob import glob
from pathlib import Path
from typing import Any

import uvicorn
from starlette.types import ASGIApp

from exporters.app import application
from exporters.basic_auth import BasicAuth
from exporters.settings import Settings
from exporters.web_config import load, tls_options
from stack.adapters.garbage import settle
from stack.kube.access import from_kubeconfig, in_cluster
from stack.kube.discovery import EnginePods
from stack.kube.engine_pods import Selection

log = logging.getLogger(__name__)


def serve(settings: Settings) -> None:
    """Serve until SIGINT or SIGTERM. Raises WebConfigError, AccessError."""
    pods, cache_pods = (_pods(selection, settings.kubeconfig) for selection in (settings.pods, settings.cache_pods))
    app, tls = guarded(application(settings, pods=pods, cache_pods=cache_pods), settings.web)
    for pattern in settings.targets:
        if not glob(pattern):
            log.warning("target file not there yet", extra={"path": pattern})
    log.info("exporter listens", extra={"host": settings.host, "port": settings.port})
    # uvicorn raises the signal again once it has shut down: that end is a good one.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    # Who is answered when the end comes gets the time of a scrape; a reader that takes its answer byte by byte gets no more.
    ending = math.ceil(settings.timeout_seconds) + 1
    how = {"log_level": "warning", "access_log": False, "timeout_graceful_shutdown": ending, **tls}
    settle()
    uvicorn.run(app, host=settings.host, port=settings.port, **how)


def guarded(app: ASGIApp, web: Path | None) -> tuple[ASGIApp, dict[str, Any]]:
    """The application behind the passwords of the web configuration, and what uvicorn is told of TLS. Raises WebConfigError."""
    if web is None:
        return app, {}
    found = load(web)
    behind = BasicAuth(app, found.basic_auth_users) if found.basic_auth_users else app
    return behind, {} if found.tls_server_config is None else tls_options(found.tls_server_config, web.parent)


def _pods(selection: Selection | None, kubeconfig: Path | None) -> EnginePods | None:
    if selection is None:
        return None
    return EnginePods(from_kubeconfig(kubeconfig) if kubeconfig else in_cluster(os.environ), selection)
