"""Stand-ins for what an installation talks to: programs as small shell scripts, and a progress that remembers."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import pytest


@dataclass(slots=True)
class Remembered:
    """A progress that keeps what it was told."""

    total: float = 0.0
    completed: float = 0.0
    details: list[str] = field(default_factory=list)

    def expect(self, total: float) -> None:
        self.total = total

    def advance(self, amount: float = 1.0) -> None:
        self.completed += amount

    def detail(self, text: str) -> None:
        self.details.append(text)


def program(path: Path, script: str) -> Path:
    """An executable shell script."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return path


def only_on_path(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    """PATH is `folder`, then the shell's own few tools."""
    monkeypatch.setenv("PATH", f"{folder}:{_tools(folder)}")


def _tools(folder: Path) -> Path:
    tools = folder.parent / "shell-tools"
    tools.mkdir(exist_ok=True)
    for name in ("sh", "mkdir", "touch", "cp", "cat", "sleep", "basename"):
        link = tools / name
        if not link.is_symlink():
            link.symlink_to(next(real for real in (Path("/bin", name), Path("/usr/bin", name)) if real.exists()))
    return tools
