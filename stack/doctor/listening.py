"""The process behind an address of this machine, as far as this user may read it."""

from __future__ import annotations

import ipaddress
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

import psutil

from stack.doctor.facts import Process
from stack.engines.vllm_command import is_vllm

# Others are not looked at: environments hold credentials.
VARIABLES = frozenset({"PYTHONHASHSEED", "PROMETHEUS_MULTIPROC_DIR", "VLLM_NIXL_ABORT_REQUEST_TIMEOUT"})
_MEASURED_SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class Here:
    """This machine: process ids by the TCP port they listen at, and how many cores each of some kept busy, with its children."""

    ports: Mapping[int, int]
    cores: Mapping[int, float]

    def engine(self, url: str) -> Process | None:
        """The vLLM process that listens at `url`; None where it is elsewhere, another user's, or no vLLM."""
        pid = self.pid(url)
        if pid is None:
            return None
        try:
            process = psutil.Process(pid)
            arguments, environment = tuple(process.cmdline()), process.environ()
        except psutil.Error:
            return None
        if not is_vllm(arguments):
            return None
        variables = {name: value for name, value in environment.items() if name in VARIABLES}
        return Process(arguments, variables, self.cores.get(pid))

    def pid(self, url: str) -> int | None:
        """The process that listens at `url`, None where that is elsewhere or another user's."""
        parts = urlsplit(url)
        return self.ports.get(parts.port or 0) if _is_here(parts.hostname) else None


def here(urls: Iterable[str], sleep: Callable[[float], None] = time.sleep) -> Here:
    """This machine, as far as this user may see it; takes a second where one of `urls` is here, no time where none is."""
    urls = list(urls)
    if not any(_is_here(urlsplit(url).hostname) for url in urls):
        return Here({}, {})
    machine = Here(listeners(), {})
    pids = {pid for url in urls if (pid := machine.pid(url)) is not None}
    before = {pid: used for pid in pids if (used := _cpu_seconds(pid)) is not None}
    if before:
        sleep(_MEASURED_SECONDS)
    cores = {pid: (used - before[pid]) / _MEASURED_SECONDS for pid in before if (used := _cpu_seconds(pid)) is not None}
    return Here(machine.ports, cores)


def _cpu_seconds(pid: int) -> float | None:
    """CPU time of the process and what it started; None where it is gone."""
    try:
        own = psutil.Process(pid)
        return sum(sum(process.cpu_times()[:2]) for process in (own, *own.children(recursive=True)))
    except psutil.Error:
        return None


def listeners() -> Mapping[int, int]:
    """Process ids by the TCP port they listen at; those of others are left out where this user may not see them."""
    found: dict[int, int] = {}
    for process in psutil.process_iter():
        try:
            for connection in process.net_connections("tcp"):
                if connection.status == psutil.CONN_LISTEN:
                    found.setdefault(connection.laddr.port, process.pid)
        except psutil.Error:
            continue  # gone meanwhile, or another user's: it stays unknown
    return found


def _is_here(host: str | None) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host or "").is_loopback
    except ValueError:
        return False
