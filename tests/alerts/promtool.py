"""Finds Prometheus' and Alertmanager's tools: on PATH, else where the one-machine stack unpacked them."""

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def tool(*names: str) -> str:
    """The path of a program by the first of its names that is found; skips the test where there is none."""
    unpacked = (path for name in names for path in (ROOT / ".kvdeck" / "debian").rglob(f"bin/{name}"))
    found = next(filter(None, map(shutil.which, names)), None) or next(map(str, unpacked), None)
    if found is None:
        pytest.skip(f"{' or '.join(names)} is neither on PATH nor in .kvdeck/debian (./kvdeck up unpacks it)")
    return found


def faults_of(exposition: str) -> str:
    """What `promtool check metrics` says of an exposition; nothing when it is clean."""
    command = [tool("promtool"), "check", "metrics"]
    done = subprocess.run(command, input=exposition, capture_output=True, text=True, check=False)
    return (
        f"{done.stdout}{done.stderr}"
        if done.returncode == 0
        else f"promtool ended with {done.returncode}: {done.stdout}{done.stderr}"
    )
