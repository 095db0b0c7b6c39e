"""What the checks need besides the stack."""

from __future__ import annotations

from pathlib import Path

import pytest

from stack.local.install.packages import Pip
from stack.local.install.testing import BrowserSetup, CheckingPackages
from tests.stack.local.install.fakes import Remembered, only_on_path, program


def _nowhere(program: str) -> str | None:
    return None


def test_packages_are_installed_once_a_lock_file(tmp_path: Path) -> None:
    lock = tmp_path / "test.lock"
    python = program(tmp_path / "bin" / "python", f"echo run >> {tmp_path}/runs")
    packages = CheckingPackages(tmp_path, lock, Pip(python, tmp_path / "log"))
    for content in ("pytest==9", "pytest==9", "pytest==10"):
        lock.write_text(content)
        packages.ensure(Remembered())
    assert (tmp_path / "runs").read_text() == "run\nrun\n"


def test_either_browser_will_do(tmp_path: Path) -> None:
    paths = {"google-chrome": "/usr/bin/google-chrome"}
    assert not BrowserSetup(tmp_path / "log", False, paths.get).missing()
    assert BrowserSetup(tmp_path / "log", False, _nowhere).missing()


def test_only_root_installs_a_browser(tmp_path: Path) -> None:
    assert BrowserSetup(tmp_path / "log", False, _nowhere).install(Remembered()) == (
        "no chromium or google-chrome on PATH, and only root may install it: apt-get update && apt-get install -y chromium"
    )


def test_without_apt_the_reason_says_so(tmp_path: Path) -> None:
    assert BrowserSetup(tmp_path / "log", True, _nowhere).install(Remembered()) == (
        "no chromium or google-chrome on PATH, and no apt-get to install it with: install it yourself"
    )


def test_a_failing_apt_is_a_reason_and_no_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    only_on_path(monkeypatch, tmp_path / "path")
    program(tmp_path / "path" / "apt-get", "exit 100")
    assert BrowserSetup(tmp_path / "log", True).install(Remembered()) == (
        f"chromium could not be installed: it ended with status 100 (all it said: {tmp_path}/log)"
    )


def test_an_installed_browser_leaves_no_reason(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    only_on_path(monkeypatch, tmp_path / "path")
    program(tmp_path / "path" / "apt-get", f'[ "$1" = update ] || cp "$0" {tmp_path}/path/chromium')
    assert BrowserSetup(tmp_path / "log", True).install(Remembered()) is None
