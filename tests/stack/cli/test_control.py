"""How control is started, and what the README shows of it beside the router."""

import json
import re
import shlex
from pathlib import Path

import click
import msgspec
import pytest
from click.testing import CliRunner

import stack.strategies  # noqa: F401  # importing it registers every strategy
from stack.cli.control import command as control
from stack.cli.main import main as kvdeck
from stack.control.valid import validated
from stack.model.target import decode
from stack.strategies.base import names
from stack.wiring.router_options import desired_from
from tests.alerts.promtool import ROOT

_SECTION = (ROOT / "README.md").read_text().partition("### In front of a fleet of your own")[2].partition("\n### ")[0]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--pools", "none"], "--pools none goes with --targets"),
        (["--pools", "none", "--targets", "t", "--supervisor-socket", "s"], "and without --supervisor-socket"),
        (["--targets", "t"], "known by --targets and --supervisor-socket"),
    ],
)
def test_what_runs_the_engines_is_told_whole(arguments: list[str], told: str) -> None:
    done = CliRunner().invoke(control, ["--state-dir", "s", *arguments])
    assert (done.exit_code, told in " ".join(done.output.split())) == (2, True)


def test_a_list_of_engines_that_is_not_there_is_one_clear_line_and_nothing_is_begun(tmp_path: Path) -> None:
    told = ["--state-dir", str(tmp_path / "state"), "--pools", "none", "--targets", str(tmp_path / "typo.json")]
    done = CliRunner().invoke(control, told)
    assert (done.exit_code, done.output) == (1, f"Error: --targets {tmp_path}/typo.json: No such file or directory\n")
    assert not (tmp_path / "state").exists()


def test_the_files_that_the_readme_shows_are_taken_by_router_and_control() -> None:
    (engines,) = re.findall("```json\n(.*?)```", _SECTION, re.DOTALL)
    (fleet,) = re.findall("```yaml\n(.*?)```", _SECTION, re.DOTALL)
    targets = decode(engines.encode())
    read = desired_from(fleet.encode())
    assert read is not None
    (model,) = validated(read, names()).models
    assert [(target.model, target.model_root) for target in targets] == [(model, f"my-org/{model}")] * 3
    assert len(targets) == read.models[model].pools.decode.replicas
    assert json.loads(engines)[0]["targets"] == [targets[0].url.removeprefix("http://")]
    assert msgspec.to_builtins(read.models[model])["strategy"] == "kv_aware"


def test_the_commands_that_the_readme_shows_are_understood() -> None:
    lines = re.findall("^kvdeck (control|router) (.*)$", _SECTION, re.MULTILINE)
    assert [name for name, _ in lines] == ["control", "router"]
    for name, rest in lines:
        command = kvdeck.get_command(click.Context(kvdeck), name)
        assert command is not None
        command.make_parser(click.Context(command)).parse_args(shlex.split(rest))
