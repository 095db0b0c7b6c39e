"""The folder for sockets: short, since their paths are limited to 107 bytes, and ours alone."""

from __future__ import annotations

import os
import shutil
import stat
from pathlib import Path

# Not $TMPDIR: another shell of the same user may have another one and would not find the stack.
ROOT = Path("/tmp")


class RuntimeFolderError(OSError):
    """The folder cannot be trusted; the message says what to do."""


def prepare(folder: Path) -> None:
    """Makes `folder` for this user alone. Raises RuntimeFolderError when it is someone else's or a link."""
    folder.mkdir(mode=0o700, exist_ok=True)
    status = folder.lstat()
    if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.geteuid():
        raise RuntimeFolderError(f"{folder} is not a folder of this user: remove it")
    folder.chmod(0o700)


def remove(folder: Path) -> None:
    """Removes `folder` and the sockets in it."""
    shutil.rmtree(folder, ignore_errors=True)
