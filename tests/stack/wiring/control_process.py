"""A real control process for tests."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from stack.model.target import Target, encode
from stack.model.tier import Pool

CONFIG = """
desired:
  models:
    smollm2:
      strategy: prefixaware
      dpd: {enabled: true, routing_threshold: 512}
      pools: {prefill: {replicas: 1}, decode: {replicas: 2}}
local: {anything: goes}
"""
STDOUT = "stdout"  # in the folder: what control writes there, all its lives together


@dataclass
class Process:
    """A control that says it listens."""

    popen: subprocess.Popen[str]
    url: str

    def end(self, number: int = signal.SIGTERM) -> tuple[int, str]:
        """Exit status and the rest of the log."""
        self.popen.send_signal(number)
        _, log = self.popen.communicate(timeout=60)
        return self.popen.returncode, log


def control_command(folder: Path, *more: str) -> list[str]:
    return [
        *(sys.executable, "-m", "stack.cli.main", "control", "--state-dir", str(folder), "--targets", str(folder / "engines.json")),
        *("--supervisor-socket", str(folder / "nobody"), *more),
    ]


@contextmanager
def running_control(folder: Path, *more: str) -> Iterator[Process]:
    command = control_command(folder, "--listen", "127.0.0.1:0", *more)
    with (folder / STDOUT).open("ab") as out:
        popen = subprocess.Popen(command, stdout=out, stderr=subprocess.PIPE, text=True)
    try:
        assert popen.stderr is not None
        lines = []
        for line in popen.stderr:
            lines.append(line)
            listening = re.search(r"control listens url='(https?://[^']+)'", line)
            if listening:
                yield Process(popen, listening[1])
                return
        raise AssertionError("".join(lines))
    finally:
        if popen.poll() is None:
            popen.kill()
        popen.communicate(timeout=60)


def furnish(folder: Path) -> None:
    """Writes what control is started with: its configuration, and a fleet of one engine."""
    (folder / "config.yaml").write_text(CONFIG)
    target = Target(replica="decode-0", url="http://127.0.0.1:1", pool=Pool.DECODE, model="smollm2", model_root="/m")
    (folder / "engines.json").write_bytes(encode([target]))
