"""One installation at a time, whatever becomes of it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from stack.local.install.holding import held

_HOLD = """
import subprocess, sys, time
from pathlib import Path
from stack.local.install.holding import held
with held(Path(sys.argv[1]), lambda: None):
    subprocess.Popen(["sleep", "0.5"], close_fds=False)
    print("held", flush=True)
    time.sleep(60)
"""


def _holder(lock: Path) -> subprocess.Popen[str]:
    process = subprocess.Popen([sys.executable, "-c", _HOLD, str(lock)], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    return process


def test_a_free_lock_is_taken_without_a_word(tmp_path: Path) -> None:
    waits: list[str] = []
    for _ in range(2):
        with held(tmp_path / "state" / "install.lock", lambda: waits.append("waiting")):
            pass
    assert waits == []


def test_a_killed_holder_frees_the_lock_once_its_child_has_ended(tmp_path: Path) -> None:
    waits: list[str] = []
    with _holder(tmp_path / "install.lock") as holder:
        holder.kill()
        holder.wait()
        with held(tmp_path / "install.lock", lambda: waits.append("waiting")):
            pass
    assert waits == ["waiting"]
