"""Runs pip for an environment and turns what it prints into progress. Standard library only: the bootstrap uses it.

pip is asked for no bar of its own. It says "Collecting X" for each package; while it unpacks them, which takes most
of the time, it says nothing, and the packages' folders in the environment are counted instead.
"""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from stack.local.install.child import ChildFailedError, run_logged
from stack.local.install.plan import InstallError
from stack.local.install.progress import Progress

_PIP = ("-m", "pip", "--disable-pip-version-check", "--no-input")
_FETCHED = ("Collecting ", "Requirement already satisfied: ")


@dataclass(frozen=True, slots=True)
class Pip:
    """pip of one environment. The user's pip configuration and PIP_* variables hold. `log` takes all it prints."""

    python: Path
    log: Path

    def install(self, arguments: Sequence[str], progress: Progress, packages: int) -> None:
        """`pip install` of about `packages` packages: the bar counts each once fetched and once unpacked. Raises InstallError."""
        before = self._unpacked()
        counted = 0
        progress.expect(2 * packages)

        def watch(said: str) -> None:
            nonlocal counted
            now = min(packages, _fetched(said)) + min(packages, self._unpacked() - before)
            progress.advance(now - counted)
            progress.detail(_activity(said))
            counted = now

        self._run(["install", "--progress-bar", "off", *arguments], watch)

    def download(self, requirement: str, folder: Path) -> None:
        """One distribution's file to `folder`, without what it depends on. Raises InstallError."""
        self._run(["download", "--no-deps", "--progress-bar", "off", "--dest", str(folder), requirement])

    def needs_of(self, requirement: str, arguments: Sequence[str]) -> tuple[str, ...]:
        """What the distribution that pip would take for `requirement` says it depends on. Raises InstallError."""
        with tempfile.TemporaryDirectory() as scratch:
            report = Path(scratch) / "report.json"
            asked = ("--dry-run", "--ignore-installed", "--no-deps", "--quiet", "--report", str(report))
            self._run(["install", *asked, *arguments, requirement])
            return tuple(json.loads(report.read_text())["install"][0]["metadata"].get("requires_dist", ()))

    def _unpacked(self) -> int:
        return sum(1 for _ in self.python.parent.parent.glob("lib/python*/site-packages/*.dist-info"))

    def _run(self, arguments: Sequence[str], watch: Callable[[str], None] | None = None) -> None:
        try:
            run_logged([str(self.python), *_PIP, *arguments], self.log, watch)
        except ChildFailedError as error:
            raise InstallError(f"pip could not install: {_complaint(error.output)} (all it said: {self.log})") from error


def requirements(lock: Path) -> tuple[str, ...]:
    """What a lock file pins, one `name==version` each."""
    lines = (line.strip() for line in lock.read_text().splitlines())
    return tuple(line for line in lines if line and not line.startswith("#"))


def _fetched(said: str) -> int:
    return sum(1 for line in said.splitlines() if line.startswith(_FETCHED))


def _activity(said: str) -> str:
    for line in reversed(said.splitlines()):
        if line.startswith("Installing collected packages"):
            return "unpacking"
        for prefix in _FETCHED:
            if line.startswith(prefix):
                return re.split(r"[^\w.-]", line.removeprefix(prefix), maxsplit=1)[0]
    return ""


def _complaint(said: str) -> str:
    errors = [line for line in said.splitlines() if line.startswith("ERROR: ")]
    return errors[-1].removeprefix("ERROR: ") if errors else "it gave no reason"
