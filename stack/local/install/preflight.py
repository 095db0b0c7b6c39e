"""Whether this machine can run what is wanted: decided from a description of it; each problem says what to do."""

from __future__ import annotations

import platform
import shutil
import socket
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import psutil

from stack.config import Ports
from stack.local.install.plan import EngineKind, PreflightError, Wanted
from stack.local.seats import SIDE_CHANNEL_OFFSET

_GB = 1_000_000_000
# Measured with three engines under traffic: 8.5 GB in all.
ENGINE_BYTES = 2_500_000_000
_REST_BYTES = 1_500_000_000
# The engines' environment takes 3 GB, pip's downloads of it 1 GB, the model 0.3 GB, unpacking and logs the rest.
_FIRST_INSTALL_BYTES = 6_000_000_000
_RUN_BYTES = 1_000_000_000
_NEWEST_ENGINE_PYTHON = (3, 13)  # LMCache has no build for a newer one
_EMULATE = "or use --engines emulated"


@dataclass(frozen=True, slots=True)
class Machine:
    """What matters of a machine. `flags` are the processor's features; bytes are those free for us."""

    system: str
    architecture: str
    flags: frozenset[str]
    python: tuple[int, int]
    memory_bytes: int
    disk_bytes: int


def this_machine(folder: Path) -> Machine:
    """The machine we run on, with the disk that holds `folder`."""
    return Machine(
        platform.system(),
        platform.machine(),
        _processor_flags(Path("/proc/cpuinfo")),
        sys.version_info[:2],
        psutil.virtual_memory().available,
        shutil.disk_usage(folder).free,
    )


def engine_problems(machine: Machine, wanted: Wanted, installed: bool) -> tuple[str, ...]:
    """Why the machine cannot run `wanted`; empty when it can. `installed`: the big downloads are there already."""
    problems = list(_real_engine_problems(machine, wanted)) if wanted.engines is EngineKind.VLLM else []
    disk = _FIRST_INSTALL_BYTES if wanted.engines is EngineKind.VLLM and not installed else _RUN_BYTES
    if machine.disk_bytes < disk:
        problems.append(f"too little disk: {_size(machine.disk_bytes)} free here, {_size(disk)} needed: free some")
    return tuple(problems)


def _real_engine_problems(machine: Machine, wanted: Wanted) -> Iterator[str]:
    if (machine.system, machine.architecture) != ("Linux", "x86_64"):
        yield f"real engines need Linux on x86-64 and this is {machine.system} on {machine.architecture}: use --engines emulated"
    elif "avx2" not in machine.flags:
        yield "this processor has no AVX2, which real engines need: use --engines emulated"
    if machine.python > _NEWEST_ENGINE_PYTHON:
        version = ".".join(map(str, machine.python))
        yield f"real engines have no packages for Python {version}: put python3.13 on PATH and remove .venv, {_EMULATE}"
    needed = wanted.engine_count * ENGINE_BYTES + _REST_BYTES
    if machine.memory_bytes < needed:
        yield (
            f"too little memory: {_size(machine.memory_bytes)} available, {wanted.engine_count} engines need {_size(needed)}: "
            f"close something, ask for fewer with --prefill and --decode, {_EMULATE}"
        )


def _size(amount: int) -> str:
    return f"{amount / _GB:.1f} GB"


def _processor_flags(cpuinfo: Path) -> frozenset[str]:
    if not cpuinfo.exists():
        return frozenset()
    lines = cpuinfo.read_text().splitlines()
    return frozenset(next((line.partition(":")[2] for line in lines if line.startswith("flags")), "").split())


def wanted_ports(ports: Ports, wanted: Wanted) -> dict[str, int]:
    """Every port the stack will listen on, by what listens there."""
    named = {
        "router": ports.router,
        "control": ports.control,
        "exporter": ports.exporter,
        "dashboard": ports.dashboard,
        "prometheus": ports.prometheus,
        "alertmanager": ports.alertmanager,
        "store": ports.store,
    }
    engines = {f"engine {index}": ports.engines + index for index in range(wanted.engine_count)}
    if wanted.engines is EngineKind.VLLM:
        named |= {"lmcache": ports.lmcache, "lmcache (HTTP)": ports.lmcache_http}
        engines |= {f"NIXL of {name}": port + SIDE_CHANNEL_OFFSET for name, port in engines.items()}
    return named | engines


def port_problems(wanted: Mapping[str, int]) -> tuple[str, ...]:
    """One line that names every port in use and who uses it; empty when all are free."""
    taken = {name: port for name, port in wanted.items() if not _is_free(port)}
    if not taken:
        return ()
    holders = _holders(set(taken.values()))
    listed = ", ".join(f"{port} for {name}{holders.get(port, '')}" for name, port in taken.items())
    return (f"ports in use: {listed}: stop what uses them (an earlier stack: kvdeck down), or move with --ports-from",)


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


def _holders(ports: set[int]) -> dict[int, str]:
    """Who listens on each of `ports`, as far as we may see it."""
    try:
        connections = psutil.net_connections("tcp")
    except psutil.AccessDenied:
        return {}
    listening = [connection for connection in connections if connection.status == psutil.CONN_LISTEN]
    return {one.laddr.port: _holder(one.pid) for one in listening if one.laddr and one.laddr.port in ports}


def _holder(pid: int | None) -> str:
    if pid is None:
        return ""
    try:
        return f" (pid {pid}, {psutil.Process(pid).name()})"
    except psutil.Error:
        return f" (pid {pid})"


def require(*problems: tuple[str, ...]) -> None:
    """Raises PreflightError with all problems, if there are any."""
    every = tuple(line for lines in problems for line in lines)
    if every:
        raise PreflightError(every)
