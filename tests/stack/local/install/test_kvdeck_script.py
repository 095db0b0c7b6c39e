"""The `kvdeck` script: which Python it takes, when it installs, and what it says when it cannot."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.stack.local.install.fakes import program

ROOT = Path(__file__).parents[4]
_TOOLS = ("sh", "cat", "cksum", "dirname", "mkdir", "chmod")
# A Python that answers as `version`, and makes a .venv that logs how it was called.
_PYTHON = """
here=$(dirname "$0")
case "$1" in
-V) echo 'Python VERSION';;
-c) case "$2" in *ensurepip*) exit VENV;; *) exec PYTHON -c "import sys; sys.version_info = (VERSION_INFO); $2";; esac;;
-m) echo install >> history; mkdir -p .venv/bin
    printf '#!/bin/sh\\necho "Python VERSION"\\n' > .venv/bin/python
    printf '#!/bin/sh\\necho ran "$@"\\n' > .venv/bin/kvdeck
    chmod +x .venv/bin/*; echo "$3" > .venv/kvdeck.stamp; exit STATUS;;
esac
"""


class Checkout:
    """A folder with the script and PATH's programs."""

    def __init__(self, folder: Path) -> None:
        self.home = folder / "check out"  # a blank in the path is nothing special
        self.home.mkdir()
        for name in ("requirements.lock", "pyproject.toml"):
            (self.home / name).write_text("1")
        shutil.copy(ROOT / "kvdeck", self.home)
        self.path = folder / "path"
        self.path.mkdir()
        for tool in _TOOLS:
            (self.path / tool).symlink_to(str(shutil.which(tool)))

    def python(self, name: str, version: str, *, venv: bool = True, status: int = 0) -> None:
        script = _PYTHON.replace("VERSION_INFO", version.replace(".", ",")).replace("VERSION", version)
        script = script.replace("PYTHON -c", f"{sys.executable} -c").replace("VENV", str(int(not venv)))
        program(self.path / name, script.replace("STATUS", str(status)))

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [self.home / "kvdeck", *arguments], cwd="/", env={"PATH": str(self.path)}, capture_output=True, text=True, check=False
        )

    @property
    def installs(self) -> int:
        history = self.home / "history"
        return len(history.read_text().splitlines()) if history.exists() else 0


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return Checkout(tmp_path)


def test_it_installs_once_and_hands_its_arguments_over(checkout: Checkout) -> None:
    checkout.python("python3", "3.11.2")
    for _ in range(2):
        assert checkout.run("up", "--config", "a b").stdout == "ran up --config a b\n"
    assert checkout.installs == 1


@pytest.mark.parametrize("name", ["requirements.lock", "pyproject.toml"])
def test_it_installs_again_when_what_it_was_made_from_changes(checkout: Checkout, name: str) -> None:
    checkout.python("python3", "3.11.2")
    checkout.run()
    (checkout.home / name).write_text("2")
    checkout.run()
    assert checkout.installs == 2


def test_an_unfinished_environment_is_made_again(checkout: Checkout) -> None:
    checkout.python("python3", "3.11.2")
    checkout.run()
    (checkout.home / ".venv" / "kvdeck.stamp").unlink()
    checkout.run()
    assert checkout.installs == 2


def test_a_python_that_real_engines_know_is_preferred(checkout: Checkout) -> None:
    checkout.python("python3", "3.14.0")
    checkout.python("python3.12", "3.12.1")
    checkout.run()
    assert (checkout.home / ".venv" / "kvdeck.stamp").read_text().startswith(f"Python 3.12.1 {checkout.home}/.venv\n")


def test_a_newer_python_will_do(checkout: Checkout) -> None:
    checkout.python("python3", "3.14.0")
    assert checkout.run("status").stdout == "ran status\n"


def test_without_a_python_one_line_says_what_to_install(checkout: Checkout) -> None:
    checkout.python("python3", "3.9.2")
    done = checkout.run()
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == (
        "kvdeck: needs Python 3.11 or newer on PATH: install it (Debian, Ubuntu: apt install python3 python3-venv)\n"
    )


def test_without_venv_one_line_says_what_to_install(checkout: Checkout) -> None:
    checkout.python("python3", "3.11.2", venv=False)
    done = checkout.run()
    assert done.returncode == 1
    assert done.stderr == (f"kvdeck: {checkout.path}/python3 has no venv: install it (Debian, Ubuntu: apt install python3-venv)\n")


def test_a_failed_installation_ends_with_its_status(checkout: Checkout) -> None:
    checkout.python("python3", "3.11.2", status=130)
    done = checkout.run("up")
    assert (done.returncode, done.stdout) == (130, "")
