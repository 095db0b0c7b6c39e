"""A virtual environment that is either complete or made anew. Standard library only: the bootstrap uses it.

The stamp is written last, so an interrupted build has none and starts from nothing. Its first line says for which
Python and folder the environment was made, the rest what was installed: if only the rest differs, packages are
brought up to date in place, which spares processes that run from it.
"""

from __future__ import annotations

import hashlib
import platform
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from stack.local.atomic_file import replace_file
from stack.local.install.child import ChildFailedError, run_logged
from stack.local.install.packages import Pip
from stack.local.install.plan import InstallError
from stack.local.install.progress import Progress

_LINE = "\n"
_DEADLINE = 20.0  # seconds for a Python to say its version


@dataclass(frozen=True, slots=True)
class Installation:
    """One run of `pip install`: its arguments, and about how many packages it brings."""

    arguments: tuple[str, ...]
    packages: int


@dataclass(frozen=True, slots=True)
class Environment:
    """The virtual environment at `folder`, made with the Python `base`; what its building prints goes to `log`."""

    folder: Path
    log: Path
    base: Path = Path(sys.executable)

    @property
    def python(self) -> Path:
        return self.folder / "bin" / "python"

    @property
    def pip(self) -> Pip:
        return Pip(self.python, self.log)

    def is_current(self, stamp: str) -> bool:
        """Whether it is complete and was built for `stamp`."""
        return self.python.exists() and self._stamp() == stamp.strip()

    def kept(self, stamp: str) -> str:
        """`stamp`, but of the environment's own Python, where it was complete with that and it still runs.

        So whoever comes with another Python takes it as it is, or brings its packages up to date, and does not make it anew
        under processes that run from it.
        """
        own = f"{self._version()} {self.folder}"
        return f"{own}\n{stamp.partition(_LINE)[2]}" if self._stamp().partition(_LINE)[0] == own else stamp

    def build(self, stamp: str, installations: Sequence[Installation], progress: Progress) -> None:
        """Makes it complete, leaving the stamp to `seal`. Raises InstallError."""
        same_python = self.python.exists() and self._stamp().partition("\n")[0] == stamp.partition("\n")[0]
        if not same_python and self.folder.is_symlink():  # what it leads to is another checkout's
            self.folder.unlink()
        self._stamp_file.unlink(missing_ok=True)
        if not same_python:
            self._create()
        for installation in installations:
            self.pip.install(installation.arguments, progress, installation.packages)

    def seal(self, stamp: str) -> None:
        """Declares it complete."""
        replace_file(self._stamp_file, f"{stamp.strip()}\n".encode())

    def _version(self) -> str:
        """What its Python calls itself; nothing where it does not run."""
        try:
            return subprocess.run([self.python, "-V"], capture_output=True, text=True, check=True, timeout=_DEADLINE).stdout.strip()
        except (OSError, subprocess.SubprocessError):
            return ""

    def _create(self) -> None:
        try:
            run_logged([str(self.base), "-m", "venv", "--clear", str(self.folder)], self.log)
        except ChildFailedError as error:
            raise InstallError(f"{self.base} could not make {self.folder}: {error} (all it said: {self.log})") from error

    @property
    def _stamp_file(self) -> Path:
        return self.folder / "kvdeck.stamp"

    def _stamp(self) -> str:
        return self._stamp_file.read_text().strip() if self._stamp_file.exists() else ""


def stamp_of(folder: Path, *contents: Path) -> str:
    """The stamp of an environment at `folder` made by this Python from the files `contents`."""
    digest = hashlib.sha256(b"\0".join(path.read_bytes() for path in contents)).hexdigest()
    return f"Python {platform.python_version()} {folder}\n{digest}"
