"""Tells one process from a later one that was given the same pid."""

from __future__ import annotations

from pathlib import Path

import psutil

_PROC = Path("/proc")
_START_TICKS = 19  # field 22 of /proc/PID/stat, counted from the state, which follows the name in parentheses


def birth(pid: int) -> str | None:
    """When process `pid` began, exactly and the same on every call; None when there is none (a zombie is none).

    On Linux it is counted in ticks since the boot, which no clock adjustment moves, and carries the boot's own id.
    """
    if _PROC.joinpath("self").exists():
        return _linux_birth(pid)
    try:
        return str(psutil.Process(pid).create_time())
    except psutil.Error:
        return None


def _linux_birth(pid: int) -> str | None:
    try:
        fields = (_PROC / str(pid) / "stat").read_text("utf-8", "replace").rpartition(")")[2].split()
        boot = (_PROC / "sys/kernel/random/boot_id").read_text("ascii").strip()
    except OSError:
        return None
    return None if fields[0] in "ZX" else f"{boot}/{fields[_START_TICKS]}"
