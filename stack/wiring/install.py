"""Puts the installation together for the machine it runs on."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from stack.config import Layout, Ports
from stack.local.checklist import Checklist
from stack.local.install.engine_environment import TORCH_INDEX
from stack.local.install.installer import Installer
from stack.local.install.plan import Installed, Wanted
from stack.local.install.preflight import engine_problems, port_problems, require, this_machine, wanted_ports


def installer(layout: Layout) -> Installer:
    """The installer of the stack at `layout.home`."""
    return Installer(layout, Path(sys.executable), os.environ.get(TORCH_INDEX) or None)


def preflight(layout: Layout, wanted: Wanted, ports: Ports) -> None:
    """Raises PreflightError with every reason why this machine cannot run `wanted` on `ports` just now."""
    machine = this_machine(layout.home)
    require(
        engine_problems(machine, wanted, installer(layout).is_engine_installed()),
        port_problems(wanted_ports(ports, wanted)),
    )


def install(layout: Layout, wanted: Wanted, checklist: Checklist) -> Installed:
    """Everything `wanted` needs, brought here where it is missing. Raises InstallError."""
    return installer(layout).install(wanted, checklist)
