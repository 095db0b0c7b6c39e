"""Where control asks about alerts and about the fleet's preconditions, and its routes about them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Protocol

from stack.adapters.alert_files import runbooks
from stack.adapters.alertmanager import Alertmanager
from stack.adapters.http_access import Access
from stack.adapters.http_config import read_http_config
from stack.adapters.rule_alerts import PrometheusAlerts
from stack.api.alert_board import AlertBoard
from stack.api.alert_routes import AlertRoutes
from stack.api.board import Board
from stack.api.cache_board import CacheBoard
from stack.api.doctor_routes import DoctorRoutes
from stack.api.examining import Examining
from stack.api.permit import Permitted
from stack.api.settings import ControlSettings
from stack.api.sight import Sight
from stack.api.silence_routes import SilenceRoutes
from stack.control.alert_ports import Alerting, RuleAlerts
from stack.control.ports import Store
from stack.control.precondition import Precondition
from stack.model.target import Target
from stack.wiring.control_doctor import OwnDoctor


class Doctor(Protocol):
    """Examines a fleet."""

    async def examine(self, targets: Sequence[Target], cache_server: str | None) -> tuple[Precondition, ...]:
        """Every check, on `targets` and the cache server at this URL."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Watchers:
    """Who knows of alerts, None where nobody said where; `runbooks` are pages by the name of their alert."""

    alertmanager: Alerting | None = None
    prometheus: RuleAlerts | None = None
    runbooks: Mapping[str, str] = field(default_factory=dict)
    doctor: Doctor | None = None


NO_WATCHERS = Watchers()


@asynccontextmanager
async def watchers(settings: ControlSettings) -> AsyncIterator[Watchers]:
    """As `settings` say, for as long as the context lasts. Raises HttpConfigError."""
    at, prometheus = settings.alertmanager_url, settings.prometheus_url
    asking_alertmanager = Access(read_http_config(settings.alertmanager_config))
    asking_prometheus = Access(read_http_config(settings.prometheus_config))
    async with asking_alertmanager.async_client() as one, asking_prometheus.async_client() as other:
        yield Watchers(
            alertmanager=None if at is None else Alertmanager(one, at),
            prometheus=None if prometheus is None else PrometheusAlerts(other, prometheus),
            runbooks=runbooks(),
            doctor=OwnDoctor(settings, asking_prometheus),
        )


def watching_routes(
    watching: Watchers,
    *,
    board: Board,
    store: Store,
    sight: Sight,
    cache: CacheBoard,
    clock: Callable[[], float],
    wall: Callable[[], float],
) -> list[Permitted]:
    """The API's part about alerts and preconditions."""
    alerts = AlertBoard(
        alertmanager=watching.alertmanager, prometheus=watching.prometheus, runbooks=watching.runbooks.keys(), wall=wall
    )
    doctor = watching.doctor

    async def examine(by: Doctor) -> tuple[Precondition, ...]:
        targets = sight.targets
        # What stands for the cache servers of emulated engines has not all that the real ones have.
        servers = [] if any(target.emulated for target in targets) else sorted(cache.addresses.items())
        return await by.examine(targets, next((url for _, url in servers), None))

    return [
        *AlertRoutes(alerts=alerts, runbooks=watching.runbooks).routes(),
        *SilenceRoutes(alerts=alerts, board=board, store=store).routes(),
        *DoctorRoutes(examining=None if doctor is None else Examining(partial(examine, doctor), clock, wall)).routes(),
    ]
