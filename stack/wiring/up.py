"""`kvdeck up`: installs, starts the supervisor, follows it until everything serves, and stays if told to."""

from __future__ import annotations

import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

import msgspec
from rich.console import Console
from rich.live import Live

from stack.adapters.supervisor_link import Component
from stack.config import Layout
from stack.control.refusal import RefusedError
from stack.control.valid import validated
from stack.emulator.profiles import PROFILES
from stack.local import log_rotation
from stack.local.asking import listed
from stack.local.checklist import Checklist
from stack.local.commands import down
from stack.local.cores import TooFewCoresError, divide, hardware_siblings, usable_cores
from stack.local.front_door import unrouted
from stack.local.install.holding import held
from stack.local.install.plan import EngineKind, InstallError, Wanted
from stack.local.launch import Launch
from stack.local.leftovers import StubbornError, Sweep, survivors
from stack.local.paths import StackPaths
from stack.local.settings import StackConfig, StackConfigError, load
from stack.local.spawning import log_tail, spawn_supervisor
from stack.local.start_up import StartUp, StartUpError
from stack.local.supervisor import NAME as SUPERVISOR
from stack.local.tables import doors_table, status_table
from stack.local.timings import Timings
from stack.strategies import base as strategies
from stack.wiring.install import install, preflight
from stack.wiring.up_beside import beside

REFRESH_SECONDS = 1.0
INTERRUPTED = 130  # what shells say of Ctrl-C


class UpError(Exception):
    """The stack does not run; the message says why and what to do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UpOptions:
    """What the command line says; None: what the configuration says."""

    prefill: int | None = None
    decode: int | None = None
    traffic: bool = True
    engines: EngineKind = EngineKind.VLLM
    detach: bool = False
    config: Path | None = None
    ports_from: int | None = None
    decisions_dir: Path | None = None
    profile: str | None = None


def run(layout: Layout, options: UpOptions, console: Console) -> int:
    """The exit code: 0 when everything serves, or served until Ctrl-C. Raises UpError, StubbornError."""
    if running := listed(layout):
        try:
            return beside(running, lambda: listed(layout), unrouted, Timings(StackPaths(layout).timings), console, time.sleep)
        except StartUpError as error:
            raise UpError(str(error)) from error
    try:
        config = _config(options)
        components, missing = _start(layout, options, config, console)
    except StartUpError as error:
        raise UpError(_gave_up(layout, error, console)) from error
    except (StackConfigError, InstallError, TooFewCoresError, StubbornError, OSError) as error:
        raise UpError(str(error)) from error
    except KeyboardInterrupt:
        down(layout, console.print)
        return INTERRUPTED
    _greet(components, missing, console)
    return 0 if options.detach else _stay(layout, console)


def _config(options: UpOptions) -> StackConfig:
    config = load(options.config).sized(options.prefill, options.decode)
    try:
        config = msgspec.structs.replace(config, desired=validated(config.desired, strategies.names()))
    except RefusedError as error:
        raise StackConfigError(f"desired.{error.field}: {error.message}") from error
    local = config.local
    if options.ports_from is not None:
        local = msgspec.structs.replace(local, ports_from=options.ports_from)
    if options.decisions_dir is not None:
        local = msgspec.structs.replace(local, decisions_dir=str(options.decisions_dir.absolute()))
    if options.profile is not None:
        local = msgspec.structs.replace(local, emulator_profile=options.profile)
    if local.emulator_profile not in PROFILES:
        raise StackConfigError(f"no profile {local.emulator_profile!r} of emulated engines; there are: {', '.join(PROFILES)}")
    return msgspec.structs.replace(config, local=local)


def _start(layout: Layout, options: UpOptions, config: StackConfig, console: Console) -> tuple[tuple[Component, ...], str | None]:
    """Everything from nothing to serving; what it has to do without, in words. Raises what `run` catches."""
    pools = config.pools
    wanted = Wanted(options.engines, pools.prefill.replicas + pools.decode.replicas)
    with _interruptible(), Checklist(console) as checklist, held(layout.state / "up.lock", lambda: _wait(console)):
        if running := listed(layout):
            return running, None  # another `kvdeck up` was faster
        _end_leftovers(layout, checklist)
        if options.engines is EngineKind.VLLM:
            divide(usable_cores(), hardware_siblings, pools.prefill.replicas > 0, config.local.cores_per_pool)
        preflight(layout, wanted, config.local.ports)
        installed = install(layout, wanted, checklist)
        layout.logs.mkdir(parents=True, exist_ok=True)
        log_rotation.start_afresh(layout.logs)
        launch = Launch(
            layout=layout,
            python=Path(sys.executable),
            config=config,
            installed=installed,
            engines=options.engines,
            traffic=options.traffic,
        )
        supervisor = spawn_supervisor(launch)
        start_up = StartUp(
            checklist,
            Timings(StackPaths(layout).timings),
            look=lambda: listed(layout),
            lives=lambda: supervisor.poll() is None,
            unrouted=unrouted,
        )
        return start_up.follow(), installed.missing


def _wait(console: Console) -> None:
    console.print("waiting for another kvdeck up of this checkout")


def _end_leftovers(layout: Layout, checklist: Checklist) -> None:
    if survivors(layout):
        with checklist.step("Ending what an earlier run left") as step:
            step.done(", ".join(Sweep(layout).run()))
    else:
        Sweep(layout).run()


def _gave_up(layout: Layout, error: StartUpError, console: Console) -> str:
    """Ends everything; what to tell."""
    log = layout.logs / f"{error.component or SUPERVISOR}.log"
    tail = log_tail(log)
    down(layout, console.print)
    return f"{error}\n{tail}\n(the end of {log})"


def _greet(components: tuple[Component, ...], missing: str | None, console: Console) -> None:
    console.print()
    if missing is not None:
        console.print(missing, style="yellow", markup=False, highlight=False, soft_wrap=True)
    console.print(doors_table(components))
    console.print("\nkvdeck demo shows the tiers; kvdeck status, stop NAME, start NAME, down", highlight=False)


def _stay(layout: Layout, console: Console) -> int:
    """Shows the components until Ctrl-C, which ends everything, or until somebody else did."""
    console.print("Ctrl-C ends everything.\n")
    try:
        with _interruptible(), Live(console=console, auto_refresh=False, transient=True) as live:
            while components := listed(layout):
                if console.is_terminal:
                    live.update(status_table(components), refresh=True)
                time.sleep(REFRESH_SECONDS)
    except KeyboardInterrupt:
        down(layout, console.print)
        return 0
    console.print("the stack was stopped")
    return 0


@contextmanager
def _interruptible() -> Iterator[None]:
    """A closed terminal and a polite kill end the stack as Ctrl-C does."""

    def interrupt(number: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    before = {number: signal.signal(number, interrupt) for number in (signal.SIGTERM, signal.SIGHUP)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
