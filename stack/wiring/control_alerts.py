"""Where control asks about alerts, and its routes about them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import httpx

from stack.adapters.alert_files import runbooks
from stack.adapters.alertmanager import Alertmanager
from stack.adapters.rule_alerts import PrometheusAlerts
from stack.api.alert_board import AlertBoard
from stack.api.alert_routes import AlertRoutes
from stack.api.board import Board
from stack.api.permit import Permitted
from stack.api.settings import ControlSettings
from stack.api.silence_routes import SilenceRoutes
from stack.control.alert_ports import Alerting, RuleAlerts
from stack.control.ports import Store


@dataclass(frozen=True, slots=True, kw_only=True)
class Watchers:
    """Who knows of alerts, None where nobody said where; `runbooks` are pages by the name of their alert."""

    alertmanager: Alerting | None = None
    prometheus: RuleAlerts | None = None
    runbooks: Mapping[str, str] = field(default_factory=dict)


NO_WATCHERS = Watchers()


def watchers(settings: ControlSettings, client: httpx.AsyncClient) -> Watchers:
    """As `settings` say."""
    at, prometheus = settings.alertmanager_url, settings.prometheus_url
    return Watchers(
        alertmanager=None if at is None else Alertmanager(client, at),
        prometheus=None if prometheus is None else PrometheusAlerts(client, prometheus),
        runbooks=runbooks(),
    )


def alert_routes(watching: Watchers, board: Board, store: Store, wall: Callable[[], float]) -> list[Permitted]:
    """The API's part about alerts."""
    alerts = AlertBoard(
        alertmanager=watching.alertmanager, prometheus=watching.prometheus, runbooks=watching.runbooks.keys(), wall=wall
    )
    return [
        *AlertRoutes(alerts=alerts, runbooks=watching.runbooks).routes(),
        *SilenceRoutes(alerts=alerts, board=board, store=store).routes(),
    ]
