"""`kvdeck bench dashboard`: starts a fleet, the dashboard and a browser, measures in turn, ends everything."""

from __future__ import annotations

import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console as Terminal

from stack.bench.dashboard.browser import Window, chromium
from stack.bench.dashboard.console import Console
from stack.bench.dashboard.machine import Machine
from stack.bench.dashboard.report import LARGE, Fleet, Report
from stack.bench.dashboard.stand import Stand, Tools, Wanted
from stack.bench.dashboard.trial import Amount, Trial
from stack.bench.router.placement import Placement, place
from stack.bench.router.process import Yard, end_on_sigterm
from stack.config import Layout
from stack.local.checklist import Checklist
from stack.local.cores import hardware_siblings, usable_cores
from stack.local.install.plan import EngineKind, Installed, InstallError
from stack.local.install.plan import Wanted as Needed
from stack.wiring.install import install

SCRAPE_S, SCRAPE_LARGE_S = 5, 15  # a large fleet is read as often as Kubernetes' Prometheus reads


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchOptions:
    """`history` is how many seconds a fleet is scraped before anything is measured, `rate` requests a second to it."""

    engines: tuple[int, ...]
    history: float
    rate: float
    amount: Amount
    force: bool = False


def run(layout: Layout, options: BenchOptions, terminal: Terminal) -> Report:
    """The whole benchmark, shown on `terminal` while it lasts. Raises OneCoreError, InstallError, ProcessError, BrowserError."""
    end_on_sigterm()
    placement = place(usable_cores(), hardware_siblings, force=options.force)
    with chromium() as window, Checklist(terminal) as checklist:
        installed = install(layout, Needed(EngineKind.EMULATED, 1), checklist)
        bench, machine = _Bench(layout, options, checklist, window, placement, installed), Machine()
        return Report(fleets=[bench.measured(engines) for engines in options.engines], others=machine.others())


@dataclass(frozen=True, slots=True)
class _Bench:
    layout: Layout
    options: BenchOptions
    checklist: Checklist
    window: Window
    placement: Placement
    installed: Installed

    def measured(self, engines: int) -> Fleet:
        """Everything before so many engines: a fleet, Prometheus and dashboard of its own."""
        with tempfile.TemporaryDirectory(prefix="kvdeck-bench-") as folder, Yard(self.layout.logs) as yard:
            with self.checklist.step(f"{engines:,} emulated engines and what watches them") as step:
                cores = self.placement
                anywhere = (*cores.others, *cores.router)
                stand = Stand(yard, self._tools(Path(folder)), self._wanted(engines), cores.others, anywhere)
                stand.start(step.detail)
                console = Console(yard, stand, self.placement.router)
                console.await_ready()
            with self.checklist.step("History", total=self.options.history) as step:
                for _ in range(int(self.options.history)):
                    time.sleep(1.0)
                    step.advance()
            with self.checklist.step("Measuring") as step:
                return Trial(self.window, console, stand, self.options.amount, step.detail).run()

    def _tools(self, folder: Path) -> Tools:
        monitoring = self.installed.monitoring
        if monitoring is None:
            raise InstallError(self.installed.missing or "there is no Prometheus here")
        return Tools(
            prometheus=monitoring.prometheus,
            tokenizer=self.installed.tokenizer,
            rules=self.layout.alerts / "rules",
            folder=folder,
        )

    def _wanted(self, engines: int) -> Wanted:
        interval = SCRAPE_LARGE_S if engines >= LARGE else SCRAPE_S
        return Wanted(engines=engines, scrape_seconds=interval, rate=self.options.rate)
