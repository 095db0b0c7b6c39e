"""Sessions: each component leads one, and its descendants stay in it even when it dies."""

from __future__ import annotations

import os
import signal
from contextlib import suppress
from pathlib import Path

import psutil

from stack.local.birth import birth

_PROC = Path("/proc")


def members(leader: int) -> frozenset[int]:
    """The living processes of the session that `leader` began, itself among them while it lives."""
    return frozenset(pid for pid in psutil.pids() if _session_of(pid) == leader and birth(pid) is not None)


def marked(name: str, value: str) -> frozenset[int]:
    """The processes of ours whose environment has `name` set to `value`; this one is not among them."""
    return frozenset(pid for pid in psutil.pids() if pid != os.getpid() and _variable(pid, name) == value)


def kill(pids: frozenset[int]) -> None:
    """SIGKILL to all of them."""
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def _session_of(pid: int) -> int | None:
    try:
        return os.getsid(pid)
    except OSError:
        return None


def _variable(pid: int, name: str) -> str | None:
    if _PROC.joinpath("self").exists():
        return _linux_variable(pid, name)
    try:
        return psutil.Process(pid).environ().get(name)
    except (psutil.Error, OSError):
        return None


def _linux_variable(pid: int, name: str) -> str | None:
    try:
        content = (_PROC / str(pid) / "environ").read_bytes()
    except OSError:
        return None
    start = f"{name}=".encode()
    return next((item[len(start) :].decode("utf-8", "replace") for item in content.split(b"\0") if item.startswith(start)), None)
