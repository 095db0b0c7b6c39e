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


def test_it_needs_nothing_but_the_standard_library() -> None:
    script = "import stack.local.install.bootstrap"
    bare = subprocess.run([sys.executable, "-S", "-c", script], cwd=ROOT, capture_output=True, text=True, check=False)
    assert bare.returncode == 0, bare.stderr
