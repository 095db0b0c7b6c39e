"""nginx and wrk: from PATH, else unpacked from Debian's packages without root."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from stack.local.install.debian import Debian
from stack.local.install.plan import InstallError
from stack.local.install.progress import Progress

_FOLDER = "bench"
_PACKAGES = ("nginx", "wrk", "libluajit-5.1-2")
_LUA = "libluajit-5.1.so.2"


@dataclass(frozen=True, slots=True)
class Tools:
    """Programs that run here; `library_path` has the unpacked wrk's Lua, None where the system has it."""

    nginx: Path
    wrk: Path
    library_path: Path | None = None

    def versions(self) -> dict[str, str]:
        """What the programs say they are; unknown where one says nothing like a version."""
        return {program.name: _version(program, self.library_path) for program in (self.nginx, self.wrk)}


def _version(program: Path, library_path: Path | None) -> str:
    environment = {**os.environ, **({} if library_path is None else {"LD_LIBRARY_PATH": str(library_path)})}
    try:
        said = subprocess.run([program, "-v"], capture_output=True, text=True, env=environment, timeout=5, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return "unknown"
    found = re.search(r"\d+(?:\.\d+)+", said.stderr + said.stdout)  # wrk calls that a mistake, nginx tells it as one
    return found[0] if found else "unknown"


def find_tools(debian: Debian, progress: Progress, which: Callable[[str], str | None] = shutil.which) -> Tools:
    """The programs, unpacked the first time unless PATH has both. Raises InstallError."""
    nginx, wrk = which("nginx"), which("wrk")
    if nginx and wrk:
        return Tools(Path(nginx), Path(wrk))
    root = debian.folder / _FOLDER
    if not root.exists():
        debian.unpack(_FOLDER, _PACKAGES, progress)
    library = next(root.rglob(_LUA), None)
    if library is None:
        raise InstallError(f"Debian's packages brought no {_LUA}: remove {root}, or put nginx and wrk on PATH")
    return Tools(root / "usr/sbin/nginx", root / "usr/bin/wrk", library.parent)
