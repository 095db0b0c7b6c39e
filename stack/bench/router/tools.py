"""nginx and wrk: from PATH, else unpacked from Debian's packages without root."""

from __future__ import annotations

import shutil
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
