"""The process behind an address of this machine, as far as this user may read it."""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping
from urllib.parse import urlsplit

import psutil

from stack.doctor.facts import Process

# Others are not looked at: environments hold credentials.
VARIABLES = frozenset({"PYTHONHASHSEED", "PROMETHEUS_MULTIPROC_DIR"})
# Arguments by which vLLM's API server is known, and an emulated engine is not.
_VLLM = ("vllm",)


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


def engine_process(url: str, ports: Mapping[int, int]) -> Process | None:
    """The vLLM process that listens at `url`; None where it is elsewhere, another user's, or no vLLM."""
    parts = urlsplit(url)
    pid = ports.get(parts.port or 0)
    if pid is None or not _is_here(parts.hostname):
        return None
    try:
        process = psutil.Process(pid)
        arguments, environment = tuple(process.cmdline()), process.environ()
    except psutil.Error:
        return None
    if not any(argument.startswith(_VLLM) or "/vllm" in argument for argument in arguments):
        return None
    return Process(arguments, {name: value for name, value in environment.items() if name in VARIABLES})


def _is_here(host: str | None) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host or "").is_loopback
    except ValueError:
        return False
