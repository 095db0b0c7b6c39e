"""Shared libraries that the engines link to and a small Debian may lack, unpacked beside Prometheus when it does."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from pathlib import Path

from stack.local.install.debian import Debian
from stack.local.install.progress import Progress

# Library -> Debian's package. vLLM's CPU kernels link to libnuma; everything else is in the wheels or in every Debian.
_LIBRARIES = {"libnuma.so.1": "libnuma1"}
_FOLDER = "libraries"
_WHERE = "usr/lib/x86_64-linux-gnu"  # real engines run on x86-64 only


def loads(library: str) -> bool:
    """Whether the dynamic loader finds `library`."""
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True


def find_libraries(debian: Debian, progress: Progress, loads: Callable[[str], bool] = loads) -> Path | None:
    """The folder to put in front of LD_LIBRARY_PATH; None when nothing is missing. Raises InstallError."""
    missing = [library for library in _LIBRARIES if not loads(library)]
    if not missing:
        return None
    folder = debian.folder / _FOLDER / _WHERE
    if not all((folder / library).exists() for library in missing):
        debian.unpack(_FOLDER, [_LIBRARIES[library] for library in missing], progress)
    return folder
