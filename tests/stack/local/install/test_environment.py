"""An environment is complete or made anew."""

from __future__ import annotations

from pathlib import Path

import pytest

from stack.local.install.environment import Environment, Installation, stamp_of
from stack.local.install.plan import InstallError
from tests.stack.local.install.fakes import Remembered, program

# Stands for the base Python: `-m venv --clear FOLDER` makes a folder with a python that logs pip's calls.
_BASE = """
folder=$4
mkdir -p "$folder/bin"
echo created >> "$folder/history"
printf '#!/bin/sh\\necho "$@" >> "%s/history"\\nexit ${PIP_STATUS:-0}\\n' "$folder" > "$folder/bin/python"
chmod +x "$folder/bin/python"
"""
_INSTALL = [Installation(("--requirement", "a.lock"), 3)]
_PIP = "-m pip --disable-pip-version-check --no-input install --progress-bar off --requirement a.lock"


def _environment(tmp_path: Path) -> Environment:
    return Environment(tmp_path / ".venv", tmp_path / "environment.log", program(tmp_path / "base" / "python3", _BASE))


def _history(environment: Environment) -> list[str]:
    return (environment.folder / "history").read_text().splitlines()


def _built(environment: Environment, stamp: str) -> None:
    environment.build(stamp, _INSTALL, Remembered())
    environment.seal(stamp)


def test_it_is_current_only_once_sealed(tmp_path: Path) -> None:
    environment = _environment(tmp_path)
    assert not environment.is_current("Python 3.11\na")
    environment.build("Python 3.11\na", _INSTALL, Remembered())
    assert not environment.is_current("Python 3.11\na")
    environment.seal("Python 3.11\na")
    assert environment.is_current("Python 3.11\na")
    assert _history(environment) == ["created", _PIP]


def test_other_packages_are_installed_in_place(tmp_path: Path) -> None:
    environment = _environment(tmp_path)
    _built(environment, "Python 3.11\na")
    _built(environment, "Python 3.11\nb")
    assert _history(environment) == ["created", _PIP, _PIP]
    assert environment.is_current("Python 3.11\nb")


def test_another_python_means_another_environment(tmp_path: Path) -> None:
    environment = _environment(tmp_path)
    _built(environment, "Python 3.11\na")
    _built(environment, "Python 3.12\na")
    assert _history(environment) == ["created", _PIP, "created", _PIP]


def test_another_checkouts_environment_is_left_alone(tmp_path: Path) -> None:
    other = _environment(tmp_path)
    _built(other, "Python 3.11 /other/.venv\na")
    linked = Environment(tmp_path / "checkout" / ".venv", other.log, other.base)
    linked.folder.parent.mkdir()
    linked.folder.symlink_to(other.folder)
    _built(linked, "Python 3.11 /checkout/.venv\na")
    assert (_history(other), other.is_current("Python 3.11 /other/.venv\na")) == (["created", _PIP], True)
    assert (_history(linked), linked.is_current("Python 3.11 /checkout/.venv\na")) == (["created", _PIP], True)


def test_an_interrupted_one_is_made_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    environment = _environment(tmp_path)
    _built(environment, "Python 3.11\na")
    monkeypatch.setenv("PIP_STATUS", "1")
    with pytest.raises(InstallError, match="it gave no reason"):
        environment.build("Python 3.11\nb", _INSTALL, Remembered())
    assert not environment.is_current("Python 3.11\na")
    monkeypatch.delenv("PIP_STATUS")
    _built(environment, "Python 3.11\nb")
    assert _history(environment) == ["created", _PIP, _PIP, "created", _PIP]


def test_a_base_without_venv_says_so_in_one_line(tmp_path: Path) -> None:
    base = program(tmp_path / "python3", "exit 1")
    with pytest.raises(InstallError) as failed:
        Environment(tmp_path / ".venv", tmp_path / "a.log", base).build("x", [], Remembered())
    assert str(failed.value) == (f"{base} could not make {tmp_path}/.venv: it ended with status 1 (all it said: {tmp_path}/a.log)")


def test_a_stamp_changes_with_the_place_and_the_contents(tmp_path: Path) -> None:
    lock = tmp_path / "a.lock"
    lock.write_text("a==1")
    first = stamp_of(tmp_path / "one", lock)
    moved = stamp_of(tmp_path / "two", lock)
    lock.write_text("a==2")
    changed = stamp_of(tmp_path / "one", lock)
    assert len({first, moved, changed}) == 3
    assert first.splitlines()[0] == changed.splitlines()[0] != moved.splitlines()[0]
