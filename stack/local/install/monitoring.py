"""Finds Prometheus and Alertmanager: on PATH, else unpacked from Debian's packages."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

from stack.local.install.debian import Debian
from stack.local.install.plan import InstallError, Monitoring
from stack.local.install.progress import Progress

# Each program by the names it goes by; Debian calls Alertmanager prometheus-alertmanager.
PROGRAMS = {
    "prometheus": ("prometheus",),
    "promtool": ("promtool",),
    "alertmanager": ("prometheus-alertmanager", "alertmanager"),
    "amtool": ("amtool",),
}
_PACKAGES = ("prometheus", "prometheus-alertmanager")
_FOLDER = "monitoring"

Which = Callable[[str], str | None]


def find_monitoring(debian: Debian, progress: Progress, which: Which = shutil.which) -> Monitoring:
    """The four programs, unpacked first if PATH lacks one. Raises InstallError."""
    found = _locate(which, debian.folder / _FOLDER)
    if missing := [name for name in PROGRAMS if name not in found]:
        _unpack(debian, progress, missing)
        found = _locate(which, debian.folder / _FOLDER)
    if missing := [name for name in PROGRAMS if name not in found]:
        raise InstallError(f"Debian's {' and '.join(_PACKAGES)} have no {', '.join(missing)}: put it on PATH")
    assets = debian.folder / _FOLDER / "usr/share/prometheus/web"
    ours = found["prometheus"].is_relative_to(debian.folder)
    return Monitoring(**found, web_assets=assets if ours and assets.is_dir() else None)


def _unpack(debian: Debian, progress: Progress, missing: Sequence[str]) -> None:
    try:
        debian.unpack(_FOLDER, _PACKAGES, progress)
    except InstallError as error:
        raise InstallError(f"{', '.join(missing)} not on PATH: install Prometheus and Alertmanager there; {error}") from error


def _locate(which: Which, unpacked: Path) -> dict[str, Path]:
    found = {}
    for program, names in PROGRAMS.items():
        candidates = [which(name) or which(str(unpacked / "usr/bin" / name)) for name in names]
        if path := next(filter(None, candidates), None):
            found[program] = Path(path)
    return found
