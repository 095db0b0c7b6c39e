"""Follows control: applies each new configuration whole, acknowledges it, and brings reports."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from typing import Protocol

from stack.adapters.control_link import ControlUnavailableError, ReportRefusedError
from stack.control.decision import DecisionRecord
from stack.control.link import EngineReport, RefusedConfig, RouterReport
from stack.control.skew import NotUnderstoodError, Received
from stack.registry import UnknownNameError
from stack.router.applied import Configuration
from stack.router.fleet_keeper import FleetKeeper
from stack.router.in_flight import InFlight
from stack.router.knowing import Knowing
from stack.router.recording import records_of
from stack.router.records import Batch, RecordBuffer
from stack.router.settings import RouterSettings

log = logging.getLogger(__name__)

# Control's versions count from 0, so this differs from all of them.
NEVER = -1
REASON_MAX = 300  # characters of why a configuration is refused: it is a line for an operator

Account = Callable[[str], str]  # what else there is to say about an engine, in words; empty when it is well


class Link(Protocol):
    """What control can be asked; either may raise ControlUnavailableError, one NotUnderstoodError and one ReportRefusedError."""

    async def config(self, version: int, wait_seconds: float) -> Received | None: ...

    async def report(self, report: RouterReport) -> None: ...


class Steering:
    """One router's two conversations with control. Control being away changes nothing but the log."""

    def __init__(
        self,
        router_id: str,
        life: str,
        link: Link,
        configuration: Configuration,
        keeper: FleetKeeper,
        in_flight: InFlight,
        records: RecordBuffer,
        accounts: Sequence[Account],
        knowing: Knowing,
        settings: RouterSettings,
        failed: Callable[[str], None],
    ) -> None:
        """`life` tells this process from those before it, and `failed` counts this router's own failures by site."""
        self._id = router_id
        self._life = life
        self._link = link
        self._configuration = configuration
        self._keeper = keeper
        self._in_flight = in_flight
        self._records = records
        self._accounts = accounts
        self._knowing = knowing
        self._settings = settings
        self._failed = failed
        self._applied = asyncio.Event()
        self._reachable = True
        self._ignored: tuple[str, ...] = ()
        self._refused: RefusedConfig | None = None

    async def run(self) -> None:
        """Follow and report until cancelled."""
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._follow(), name="follow control")
            tasks.create_task(self._report_for_ever(), name="report to control")

    async def _follow(self) -> None:
        version = NEVER
        while True:
            try:
                received = await self._link.config(version, self._settings.poll_wait_s)
            except ControlUnavailableError as error:
                self._note(error)
                await asyncio.sleep(self._settings.control_retry_s)
                continue
            except NotUnderstoodError as error:  # the next version is worth another look, this one is not
                self._note(None)
                version = error.version
                self._refuse(error.version, error.generation, error)
                continue
            self._note(None)
            if received is not None:
                version = received.config.version
                self._apply(received)
            self._confirm()

    def _apply(self, received: Received) -> None:
        config = received.config
        try:
            self._configuration.apply(config)
        except (UnknownNameError, ValueError) as error:  # a strategy, protocol or session key that only a newer router knows
            self._refuse(config.version, config.generation, error)
            return
        log.info("configuration applied", extra={"generation": config.generation, "version": config.version})
        if received.ignored:
            log.warning("fields of a newer release are ignored", extra={"fields": ", ".join(received.ignored)})
        self._ignored, self._refused = received.ignored, None
        self._applied.set()

    def _refuse(self, version: int, generation: int, error: Exception) -> None:
        """Go on with what is applied, and let control know why."""
        log.error("configuration refused", extra={"generation": generation, "error": str(error)})
        self._refused = RefusedConfig(version=version, generation=generation, reason=str(error)[:REASON_MAX])
        self._applied.set()

    async def _report_for_ever(self) -> None:
        most = limit = self._settings.records_per_report
        while True:
            self._applied.clear()
            batch = self._records.batch(limit)
            try:
                await self._bring(batch)
            except ControlUnavailableError as error:
                if isinstance(error, ReportRefusedError) and len(batch.errands) > 1:
                    limit = len(batch.errands) // 2  # it is in one of the halves what control does not take
                    continue
                self._note(error)
                await asyncio.sleep(self._settings.control_retry_s)
                continue
            limit = most
            self._confirm()
            self._records.acknowledge(batch)
            if len(self._records) < most:
                await self._pause()

    async def _bring(self, batch: Batch) -> None:
        """One report. A record that is refused alone is left out of it, counted: those after it are to arrive."""
        records = await records_of(batch.errands, self._failed)
        try:
            await self._link.report(self._report(batch, records))
        except ReportRefusedError as error:
            if len(records) != 1 or records[0] is None:
                raise
            log.error("control refuses a record", extra={"error": str(error)})
            self._failed("record")
            await self._link.report(self._report(batch, (None,)))

    def _confirm(self) -> None:
        """Control answered: what it has told is in force, unless it was refused."""
        if self._refused is None and self._configuration.current.version is not None:
            self._configuration.confirm()

    async def _pause(self) -> None:
        """Until the next report is due, or a configuration was applied."""
        try:
            async with asyncio.timeout(self._settings.report_interval_s):
                await self._applied.wait()
        except TimeoutError:
            pass

    def _report(self, batch: Batch, records: tuple[DecisionRecord | None, ...]) -> RouterReport:
        applied = self._configuration.current
        return RouterReport(
            id=self._id,
            version=NEVER if applied.version is None else applied.version,
            generation=applied.generation,
            engines=tuple(
                EngineReport(
                    name=name,
                    health=member.engine.health.value,
                    in_flight=self._in_flight.counts.get(name, 0),
                    health_age_seconds=self._keeper.health_age(name),
                    detail="; ".join(filter(None, (*(tell(name) for tell in self._accounts), member.account))),
                    placement=self._knowing.of(name, member.engine.target.model),
                )
                for name, member in self._keeper.fleet.members.items()
            ),
            decisions=records,
            dropped=batch.dropped,
            experiments=applied.experiments,
            ignored=self._ignored,
            refused=self._refused,
            life=self._life,
            first=batch.first,
        )

    def _note(self, error: ControlUnavailableError | None) -> None:
        """Log once when control goes away and once when it is back."""
        if (error is None) == self._reachable:
            return
        self._reachable = error is None
        if error is None:
            log.info("control answers again")
        else:
            log.warning("control is away, going on with what is applied", extra={"error": str(error)})
