"""Programs and libraries out of Debian's packages, unpacked into a folder of ours: no root, no installed service."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from stack.local.install.child import ChildFailedError, run_logged
from stack.local.install.plan import InstallError
from stack.local.install.progress import Progress


@dataclass(frozen=True, slots=True)
class Debian:
    """Unpacks packages below `folder`; what apt and dpkg print goes to `log`."""

    folder: Path
    log: Path

    def unpack(self, name: str, packages: Sequence[str], progress: Progress) -> Path:
        """The files of `packages` as the folder `name`, there whole or not at all. Raises InstallError.

        Only these packages: what they depend on is not fetched.
        """
        self._require_tools(packages)
        clear_scratch(self.folder, name)
        progress.expect(2 * len(packages))
        with tempfile.TemporaryDirectory(prefix=f"{name}.", dir=self.folder) as scratch:
            self._fetch(packages, Path(scratch), progress)
            root = Path(scratch) / "root"
            for archive in sorted(Path(scratch).glob("*.deb")):
                progress.detail(archive.name.partition("_")[0])
                self._run(["dpkg", "--extract", str(archive), str(root)], Path(scratch))
                progress.advance()
            target = self.folder / name
            shutil.rmtree(target, ignore_errors=True)
            root.rename(target)
        return target

    def _require_tools(self, packages: Sequence[str]) -> None:
        missing = [tool for tool in ("apt-get", "dpkg") if shutil.which(tool) is None]
        if missing:
            raise InstallError(f"{' and '.join(missing)} not found, so Debian's {', '.join(packages)} cannot be unpacked here")

    def _fetch(self, packages: Sequence[str], scratch: Path, progress: Progress) -> None:
        progress.detail("fetching")
        try:
            self._run(["apt-get", "download", *packages], scratch)
        except InstallError:
            # The machine's package lists are missing or old, and only root may renew those: lists of our own then.
            progress.detail("fetching the package lists")
            own = _own_lists(scratch)
            self._run(["apt-get", *own, "update"], scratch)
            self._run(["apt-get", *own, "download", *packages], scratch)
        progress.advance(len(packages))

    def _run(self, command: Sequence[str], folder: Path) -> None:
        try:
            run_logged(command, self.log, folder=folder)
        except ChildFailedError as error:
            errors = [line[3:] for line in error.output.splitlines() if line.startswith("E: ")]
            said = errors[-1] if errors else str(error)
            raise InstallError(f"{' '.join(command[:1])} failed: {said} (all it said: {self.log})") from error


def clear_scratch(folder: Path, name: str) -> None:
    """Makes `folder` and removes what an interrupted run left there while it made `name`."""
    folder.mkdir(parents=True, exist_ok=True)
    for left in folder.glob(f"{name}.*"):
        shutil.rmtree(left)


def _own_lists(scratch: Path) -> list[str]:
    for folder in ("lists/partial", "cache/archives/partial"):
        (scratch / folder).mkdir(parents=True, exist_ok=True)
    options = (f"Dir::State::Lists={scratch}/lists", f"Dir::Cache={scratch}/cache", "APT::Sandbox::User=root")
    return [part for option in options for part in ("-o", option)]
