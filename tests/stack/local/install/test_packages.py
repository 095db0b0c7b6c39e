"""What pip prints, as progress and as errors."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from stack.local.install.packages import Pip, requirements
from stack.local.install.plan import InstallError
from tests.stack.local.install.fakes import Remembered, program

_GOOD = """
echo "$@" > "$0.arguments"
echo 'Collecting click==8.5.1'
echo '  Downloading click-8.5.1-py3-none-any.whl (100 kB)'
echo 'Requirement already satisfied: rich==15.0.0 in ./somewhere (from -r lock (line 2))'
sleep 0.5
echo 'Installing collected packages: click'
mkdir -p "$(dirname "$0")/../lib/python3.11/site-packages/click-8.5.1.dist-info"
sleep 0.5
"""
_BAD = """
echo 'Collecting nothing==1'
echo 'ERROR: Could not find a version that satisfies the requirement nothing==1 (from versions: none)'
echo 'ERROR: No matching distribution found for nothing==1'
exit 1
"""


def _pip(tmp_path: Path, script: str) -> Pip:
    return Pip(program(tmp_path / "bin" / "python", script), tmp_path / "pip.log")


def test_each_package_counts_once_fetched_and_once_unpacked(tmp_path: Path) -> None:
    progress = Remembered()
    _pip(tmp_path, _GOOD).install(("--requirement", "lock"), progress, 2)
    assert (tmp_path / "bin" / "python.arguments").read_text().split() == [
        *("-m", "pip", "--disable-pip-version-check", "--no-input", "install", "--progress-bar", "off", "--requirement", "lock")
    ]
    assert (progress.total, progress.completed) == (4, 3)
    assert progress.details[-1] == "unpacking"
    assert "rich" in progress.details


def test_the_last_error_of_pip_is_the_line_one_gets(tmp_path: Path) -> None:
    with pytest.raises(InstallError) as failed:
        _pip(tmp_path, _BAD).download("nothing==1", tmp_path)
    assert str(failed.value) == (
        f"pip could not install: No matching distribution found for nothing==1 (all it said: {tmp_path}/pip.log)"
    )


def test_needs_are_read_from_the_report_of_a_dry_run(tmp_path: Path) -> None:
    report = '{"install": [{"metadata": {"version": "2", "requires_dist": ["nvidia-nccl-cu13==2"]}}]}'
    script = f"""while [ "$1" != --report ]; do shift; done; echo '{report}' > "$2" """
    assert _pip(tmp_path, script).needs_of("torch==2", ()) == ("nvidia-nccl-cu13==2",)


def test_a_lock_file_is_its_pins_without_comments(tmp_path: Path) -> None:
    lock = tmp_path / "a.lock"
    lock.write_text("# made so\n\nclick==8.5.1\nrich==15.0.0\n")
    assert requirements(lock) == ("click==8.5.1", "rich==15.0.0")


def test_what_every_process_needs_is_in_the_lock() -> None:
    root = Path(__file__).parents[4]
    project = tomllib.loads((root / "pyproject.toml").read_text())["project"]
    extras = (project["optional-dependencies"][extra] for extra in ("dashboard", "kubernetes", "local"))
    needed = [*project["dependencies"], *(one for extra in extras for one in extra)]
    locked = {requirement.partition("==")[0].lower().replace("_", "-") for requirement in requirements(root / "requirements.lock")}
    assert sorted({re.split(r"[<>=]", one)[0].lower() for one in needed} - locked) == []
