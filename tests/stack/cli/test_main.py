"""Every file in stack/cli is a command, and tells what it does without loading what it does it with."""

import subprocess
import sys

import click
import pytest
from click.testing import CliRunner

from stack.cli.bench import command as bench
from stack.cli.ctl import command as ctl
from stack.cli.main import main
from stack.cli.router import command as router
from stack.model.rates import PROFILE
from stack.router.settings import RouterSettings

COMMANDS = main.list_commands(click.Context(main))
BENCHMARKS = bench.list_commands(click.Context(bench))
CONTROLS = ctl.list_commands(click.Context(ctl))
HANDED_ON = {"exporter", "report"}  # they become another process, which tells about itself


def test_the_commands_are_these() -> None:
    assert COMMANDS == [
        "bench", "control", "ctl", "dashboard", "demo", "doctor", "down", "drill", "emulator", "exporter", "iec", "report",
        "router", "start", "status", "stop", "supervise", "test", "token", "traffic", "up",
    ]  # fmt: skip


@pytest.mark.parametrize("name", BENCHMARKS)
def test_a_benchmark_tells_what_it_measures(name: str) -> None:
    result = CliRunner().invoke(main, ["bench", name, "--help"])
    assert (result.exit_code, result.output.startswith(f"Usage: main bench {name}")) == (0, True)


@pytest.mark.parametrize("name", CONTROLS)
def test_a_command_of_control_tells_what_it_does(name: str) -> None:
    result = CliRunner().invoke(main, ["ctl", name, "--help"])
    assert (result.exit_code, result.output.startswith(f"Usage: main ctl {name}")) == (0, True)


@pytest.mark.parametrize("name", sorted(set(COMMANDS) - HANDED_ON))
def test_a_command_tells_what_it_does(name: str) -> None:
    result = CliRunner().invoke(main, [name, "--help"])
    assert (result.exit_code, result.output.startswith(f"Usage: main {name}")) == (0, True)


def test_help_is_fast_because_it_loads_no_process() -> None:
    code = (
        "import sys, click; from stack.cli.main import main\n"
        "from stack.cli.bench import command as bench; from stack.cli.iec import command as iec\n"
        "from stack.cli.ctl import command as ctl\n"
        "for group in (main, bench, ctl):\n"
        "    for name in group.list_commands(click.Context(group)): group.get_command(click.Context(group), name)\n"
        "print([name for name in sys.modules if name.startswith('stack.wiring.') or name in ('httpx', 'starlette', 'zmq')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_what_is_assumed_where_nothing_is_told_stands_in_one_place() -> None:
    told = {option.name: option.default for option in router.params}
    settings = RouterSettings()
    assert (told["drain"], told["handover_limit"]) == (settings.drain_s, settings.handover_limit_s)
    assert (told["index_blocks"], told["index_blocks_per_rank"]) == (settings.index_blocks, settings.index_blocks_per_rank)
    rates = (PROFILE.prefill_tokens_per_s, PROFILE.l1_tokens_per_s, PROFILE.l2_tokens_per_s)
    assert (told["prefill_rate"], told["l1_rate"], told["l2_rate"]) == rates


def test_an_unknown_command_is_named() -> None:
    result = CliRunner().invoke(main, ["fly"])
    assert result.exit_code == 2
    assert "No such command 'fly'" in result.output


@pytest.mark.parametrize(("command", "option"), [("router", "--listen"), ("control", "--listen"), ("emulator", "--admin")])
def test_an_address_that_is_none_is_refused_with_an_example(command: str, option: str) -> None:
    result = CliRunner().invoke(main, [command, option, "nonsense"])
    assert result.exit_code == 2
    assert "expected HOST:PORT, for example 127.0.0.1:8000, not 'nonsense'" in " ".join(result.output.split())
