"""Puts `kvdeck test` together: what the checks need, the checks, and the table of how they ended."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from rich.console import Console

from stack.bench.router.peers import VLLM_ROUTER
from stack.bench.router.tools import find_tools
from stack.config import Layout
from stack.local.checklist import Checklist
from stack.local.checks import checks, run, summary
from stack.local.install.chart_renderer import build_chart_renderer
from stack.local.install.debian import Debian
from stack.local.install.packages import Pip
from stack.local.install.plan import InstallError, Wanted
from stack.local.install.preflight import engine_problems, require, this_machine
from stack.local.install.testing import BrowserSetup, CheckingPackages
from stack.wiring.install import installer


def run_checks(layout: Layout, quick: bool, may_install: Callable[[str], bool], arguments: Sequence[str]) -> int:
    """The exit status: 0 when every check passed. `may_install` is asked before anything goes into the system."""
    console = Console()
    try:
        with Checklist(console) as checklist:
            notes = _prepare_quick(layout, checklist) if quick else _prepare(layout, checklist)
    except InstallError as error:
        console.print(f"kvdeck: {error}\nkvdeck: to leave real engines out: ./kvdeck test --quick", markup=False, soft_wrap=True)
        return 1
    no_browser = _no_browser(layout, may_install, console)
    environment = {**os.environ, "KVDECK_BROWSER_SKIP": no_browser or ""}
    outcomes = run(checks(Path(sys.executable).parent, quick, arguments), layout.home, environment, console)
    console.print(summary(outcomes, [*notes, *([f"browser tests skipped: {no_browser}"] if no_browser else [])]))
    return 0 if all(outcome.passed for outcome in outcomes) else 1


def _prepare(layout: Layout, checklist: Checklist) -> list[str]:
    """Brings all that the tests use; what will be left out, and why."""
    _install_packages(layout, checklist)
    wanted = Wanted()
    require(engine_problems(this_machine(layout.home), wanted, installer(layout).is_engine_installed()))
    installer(layout).install(wanted, checklist)
    return [
        *_prepare_gateway(layout, checklist),
        *_prepare_foreign_router(layout, checklist),
        *_prepare_renderer(layout, checklist),
    ]


def _prepare_gateway(layout: Layout, checklist: Checklist) -> list[str]:
    """The gateway that mirrors to an observing router, from where the benchmark of routers has it."""
    try:
        with checklist.step("nginx") as step:
            find_tools(Debian(layout.binaries, layout.logs / "debian.log"), step)
    except InstallError as error:
        return [f"the test behind nginx skipped: {error}"]
    return []


def _prepare_foreign_router(layout: Layout, checklist: Checklist) -> list[str]:
    """The router of a fleet that kvdeck only watches, from where the benchmark of routers has it."""
    try:
        with checklist.step(f"{VLLM_ROUTER.package} {VLLM_ROUTER.version}") as step:
            VLLM_ROUTER.ensure(VLLM_ROUTER.environment(layout), step)
    except InstallError as error:
        return [f"the tests beside another router skipped: {error}"]
    return []


def _prepare_renderer(layout: Layout, checklist: Checklist) -> list[str]:
    """What renders the Helm chart; the tests of the chart are skipped without it, but in CI."""
    try:
        with checklist.step("Renderer of the Helm chart") as step:
            source = layout.home / "tests" / "stack" / "deploy" / "render"
            build_chart_renderer(Debian(layout.binaries, layout.logs / "debian.log"), source, step)
    except InstallError as error:
        return [f"the chart's tests skipped: {error}"]
    return []


def _prepare_quick(layout: Layout, checklist: Checklist) -> list[str]:
    """The same without real engines. Where Prometheus' tools are not to be had, the tests that use them are skipped."""
    _install_packages(layout, checklist)
    notes = ["end-to-end tests with real engines left out (--quick)"]
    try:
        installer(layout).install_monitoring(checklist)
    except InstallError as error:
        notes.append(f"promtool tests skipped: {error}")
    return [*notes, *_prepare_renderer(layout, checklist)]


def _install_packages(layout: Layout, checklist: Checklist) -> None:
    pip = Pip(Path(sys.executable), layout.logs / "test-packages.log")
    with checklist.step("Packages for the tests") as step:
        CheckingPackages(Path(sys.prefix), layout.home / "requirements-test.lock", pip).ensure(step)


def _no_browser(layout: Layout, may_install: Callable[[str], bool], console: Console) -> str | None:
    browser = BrowserSetup(layout.logs / "browser.log", os.geteuid() == 0)
    if not browser.missing():
        return None
    if not may_install("The browser tests need Chromium on this system. Install it with apt-get?"):
        return "no chromium or google-chrome on PATH (--yes installs it)"
    with Checklist(console) as checklist, checklist.step("Chromium") as step:
        reason = browser.install(step)
        if reason is not None:
            step.fail(reason)
    return reason
