"""Recording rules that decide something have cases of their own."""

import subprocess
from pathlib import Path

import pytest

from tests.alerts.promtool import tool

CASES = sorted((Path(__file__).parent / "records").glob("*.yaml"))


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_promtool_runs_the_cases(path: Path) -> None:
    done = subprocess.run([tool("promtool"), "test", "rules", path], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
