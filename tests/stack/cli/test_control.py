from __future__ import annotations

import pytest
from click.testing import CliRunner

from stack.cli.control import command

NEEDED = ["--state-dir", "s", "--targets", "t", "--supervisor-socket", "none"]


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--mode", "declarative"], "--mode declarative follows a file: name it with --desired"),
        (["--desired", "fleet.yaml"], "--desired is for --mode declarative; what a first start begins with is --config"),
        (["--mode", "chaotic"], "'chaotic' is not one of 'observe', 'declarative', 'live'"),
    ],
)
def test_a_mode_and_its_file_go_together(more: list[str], message: str) -> None:
    done = CliRunner().invoke(command, [*NEEDED, *more])
    assert (done.exit_code, message in " ".join(done.output.split())) == (2, True)
