"""What `kvdeck test` needs besides the stack: its own packages in kvdeck's environment, and a browser on the machine."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from stack.local.atomic_file import replace_file
from stack.local.install.child import ChildFailedError, run_logged
from stack.local.install.environment import stamp_of
from stack.local.install.packages import Pip, requirements
from stack.local.install.progress import Progress

BROWSERS = ("chromium", "google-chrome")
_INSTALL = "apt-get update && apt-get install -y chromium"


@dataclass(frozen=True, slots=True)
class CheckingPackages:
    """The packages of `lock`, in the environment at `folder`."""

    folder: Path
    lock: Path
    pip: Pip

    def ensure(self, progress: Progress) -> None:
        """Installs them unless this lock file's are there. Raises InstallError."""
        stamp, wanted = self.folder / "kvdeck-test.stamp", stamp_of(self.folder, self.lock)
        if stamp.exists() and stamp.read_text() == wanted:
            return
        stamp.unlink(missing_ok=True)
        self.pip.install(("--requirement", str(self.lock)), progress, len(requirements(self.lock)))
        replace_file(stamp, wanted.encode())


@dataclass(frozen=True, slots=True)
class BrowserSetup:
    """Finds or installs Chromium: the one thing that only the whole system can have."""

    log: Path
    is_root: bool
    which: Callable[[str], str | None] = shutil.which

    def missing(self) -> bool:
        """Whether there is no browser on PATH."""
        return not any(map(self.which, BROWSERS))

    def install(self, progress: Progress) -> str | None:
        """Why there is still no browser after trying; None when there is one."""
        if not self.is_root:
            return f"no {' or '.join(BROWSERS)} on PATH, and only root may install it: {_INSTALL}"
        if self.which("apt-get") is None:
            return f"no {' or '.join(BROWSERS)} on PATH, and no apt-get to install it with: install it yourself"
        progress.detail("apt-get install chromium")
        try:
            run_logged(["sh", "-c", _INSTALL], self.log, environment={**os.environ, "DEBIAN_FRONTEND": "noninteractive"})
        except ChildFailedError as error:
            return f"chromium could not be installed: {error} (all it said: {self.log})"
        return "apt-get installed no browser" if self.missing() else None
