"""kvdeck's own environment, made before any dependency is there."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from stack.local.install import bootstrap
from tests.stack.local.install.fakes import program

ROOT = Path(__file__).parents[4]
_BASE = """
mkdir -p "$4/bin"; printf '#!/bin/sh\\nshift 4; echo "$@" >> "%s/pip"\\n' "$4" > "$4/bin/python"; chmod +x "$4/bin/python"
"""


def test_it_installs_the_lock_then_the_project_and_only_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "requirements.lock").write_text("click==8.5.1\n")
    base = program(tmp_path / "python3", _BASE)
    for _ in range(2):
        bootstrap.ensure(tmp_path, "Python 3.11\n1", bootstrap.Line(), base)
    assert (tmp_path / ".venv" / "pip").read_text().splitlines() == [
        f"install --progress-bar off --requirement {tmp_path}/requirements.lock",
        f"install --progress-bar off --no-deps --no-build-isolation --editable {tmp_path}",
    ]
    assert (tmp_path / ".venv" / "kvdeck.stamp").read_text() == "Python 3.11\n1\n"
    first, second = capsys.readouterr().err.splitlines()
    assert first == "kvdeck: making .venv ready (a minute or two the first time)"
    assert second.startswith("kvdeck: .venv is ready after ")


def _made_with_another_python(home: Path, *, runs: bool = True) -> None:
    """A `.venv` that was complete with Python 3.12.9."""
    (home / "requirements.lock").write_text("click==8.5.1\n")
    (home / ".venv" / "bin").mkdir(parents=True)
    lines = f'[ "$1" = -V ] && {{ echo Python 3.12.9; exit {0 if runs else 1}; }}; shift 4; echo "$@" >> "{home}/.venv/pip"'
    program(home / ".venv" / "bin" / "python", lines)
    (home / ".venv" / "kvdeck.stamp").write_text(f"Python 3.12.9 {home}/.venv\n1\n")


def _made_anew(home: Path) -> bool:
    return not (home / ".venv" / "old").exists()


@pytest.mark.parametrize(
    ("wanted", "runs", "anew", "pip", "stamp"),
    [
        ("1", True, False, 0, "Python 3.12.9"),  # another shell made it meanwhile
        ("2", True, False, 2, "Python 3.12.9"),  # packages changed
        ("1", False, True, 2, "Python 3.11.2"),  # its Python is gone
    ],
)
def test_an_environment_of_another_python_is_kept(
    tmp_path: Path, wanted: str, runs: bool, anew: bool, pip: int, stamp: str
) -> None:
    _made_with_another_python(tmp_path, runs=runs)
    (tmp_path / ".venv" / "old").touch()
    base = program(tmp_path / "python3", f'rm -r "$4"{_BASE}')
    bootstrap.ensure(tmp_path, f"Python 3.11.2 {tmp_path}/.venv\n{wanted}", bootstrap.Line(), base)
    log = tmp_path / ".venv" / "pip"
    assert (_made_anew(tmp_path), len(log.read_text().splitlines()) if log.exists() else 0) == (anew, pip)
    assert (tmp_path / ".venv" / "kvdeck.stamp").read_text() == f"{stamp} {tmp_path}/.venv\n{wanted}\n"


def test_it_needs_nothing_but_the_standard_library() -> None:
    script = "import stack.local.install.bootstrap"
    bare = subprocess.run([sys.executable, "-S", "-c", script], cwd=ROOT, capture_output=True, text=True, check=False)
    assert bare.returncode == 0, bare.stderr
