"""Starts the supervisor, which outlives the command that started it."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from stack.local.launch import Launch
from stack.local.paths import StackPaths
from stack.local.process import MARK


def spawn_supervisor(launch: Launch) -> subprocess.Popen[bytes]:
    """The supervisor of `launch`, in a session of its own, writing to its log. Raises OSError."""
    paths = StackPaths(launch.layout)
    launch.write(paths.launch)
    argv = [str(launch.python), "-m", "stack.cli.main", "supervise", "--launch", str(paths.launch)]
    environment = {**os.environ, MARK: launch.layout.runtime.name}
    with paths.supervisor_log.open("ab") as log:
        return subprocess.Popen(
            argv,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            cwd=launch.layout.home,
            env=environment,
            start_new_session=True,
        )


def log_tail(log: Path, lines: int = 15) -> str:
    """The last lines of a log; empty when there is none."""
    try:
        return "\n".join(log.read_text("utf-8", "replace").splitlines()[-lines:])
    except OSError:
        return ""
