"""The traffic process: an endpoint, a workload, a report."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import random
import signal
import time
from collections.abc import Callable, Coroutine, Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx
import msgspec
import uvloop
from rich.console import Console

from stack.traffic.client import Client, Model, model_of
from stack.traffic.display import ProgressLine, table
from stack.traffic.load import Due, Load, poisson, recorded
from stack.traffic.report import Report, Summary
from stack.traffic.request import Outcome
from stack.traffic.scenarios import SCENARIOS, Sizes
from stack.traffic.trace import Trace, read

log = logging.getLogger(__name__)

UNTOLD_CONTEXT = 4096  # tokens, for endpoints that do not say how much their model takes
_REFRESH_SECONDS = 0.5
_FILE_COLUMNS = 140  # where nobody says how wide the page is


@dataclass(frozen=True, slots=True, kw_only=True)
class TrafficSettings:
    """One run. `rate` is requests a second, `duration` seconds (None: until told to end); with `trace` the file sets the pace."""

    url: str
    scenario: str = "mixed"
    rate: float = 0.5
    duration: float | None = None
    seed: int = 0
    model: str | None = None
    max_tokens: int | None = None
    limit: int = 32
    trace: Path | None = None
    scale: float = 1.0
    shrink: float = 1.0
    api_key: str | None = None
    as_json: bool = False


class _Run(msgspec.Struct):
    summary: Summary
    requests: list[Outcome]


def run(settings: TrafficSettings) -> bool:
    """Send, then print what came of it; True when nothing failed. Raises EndpointError, TraceError, OSError."""
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(_run(settings))


async def _run(settings: TrafficSettings) -> bool:
    headers = {} if settings.api_key is None else {"authorization": f"Bearer {settings.api_key}"}
    limits = httpx.Limits(max_connections=settings.limit + 1)
    async with httpx.AsyncClient(headers=headers, limits=limits) as http:
        model = await model_of(http, settings.url, settings.model)
        arrivals, too_long = _workload(settings, model)
        report = Report(model.emulated)
        client = Client(http, settings.url, model.name, time.monotonic)
        load = Load(client, time.monotonic, asyncio.sleep, lambda outcome: _note(outcome, report), settings.limit)
        began = time.monotonic()
        await _until_told(_watched(load, arrivals, report, settings))
        summary = report.summary(time.monotonic() - began, load.skipped, too_long())
    _print(settings, report, summary)
    return report.failed == 0


def _workload(settings: TrafficSettings, model: Model) -> tuple[Iterator[Due], Callable[[], int]]:
    """What to send, and how much of it had to be left out so far."""
    context = model.context or UNTOLD_CONTEXT
    log.info("traffic begins", extra={"url": settings.url, "model": model.name, "context": context})
    if settings.trace is not None:
        trace = Trace(
            read(settings.trace), scale=settings.scale, shrink=settings.shrink, context=context, answer=settings.max_tokens
        )
        return recorded(iter(trace), settings.duration), lambda: trace.too_long
    rng = random.Random(settings.seed)
    scenario = SCENARIOS[settings.scenario](rng, Sizes(context, settings.max_tokens or 24))
    return poisson(scenario, settings.rate, settings.duration, random.Random(settings.seed + 1)), lambda: 0


async def _watched(load: Load, arrivals: Iterator[Due], report: Report, settings: TrafficSettings) -> None:
    """The load, with its progress on standard error."""
    began = time.monotonic()
    with ProgressLine(Console(stderr=True), settings.duration) as line:

        async def refresh() -> None:
            while True:
                line.show(time.monotonic() - began, report.requests, report.failed, load.in_flight)
                await asyncio.sleep(_REFRESH_SECONDS)

        refreshing = asyncio.create_task(refresh(), name="progress")
        try:
            await load.run(arrivals)
        finally:
            refreshing.cancel()


async def _until_told(work: Coroutine[None, None, None]) -> None:
    """Run `work` to its end, or cancel it on SIGTERM or Ctrl-C."""
    task = asyncio.create_task(work, name="traffic")
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, task.cancel)
    with contextlib.suppress(asyncio.CancelledError):  # the way an endless run ends
        await task


def _note(outcome: Outcome, report: Report) -> None:
    report.add(outcome)
    if outcome.failure is not None:
        fields = {"kind": outcome.kind, "failure": outcome.failure.value, "status": outcome.status}
        log.warning("request failed", extra=fields)


def _print(settings: TrafficSettings, report: Report, summary: Summary) -> None:
    console = Console()
    if not console.is_terminal:
        console = Console(width=_FILE_COLUMNS)
    if settings.as_json:
        document = msgspec.json.encode(_Run(summary, list(report.latest)))
        console.file.write(msgspec.json.format(document).decode() + "\n")
    else:
        console.print(table(summary))
