"""`kvdeck drill`, where there is nothing to break."""

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import stack.drill.drills  # noqa: F401  # importing it registers every drill
from stack.cli.main import main
from stack.drill.drill import drills


def drill(*arguments: str, home: Path = Path("/nowhere")) -> Result:
    return CliRunner().invoke(main, ["drill", *arguments], env={"KVDECK_HOME": str(home)})


def test_it_lists_every_drill() -> None:
    listed = drill("--list")
    assert listed.exit_code == 0
    assert [line.split()[0] for line in listed.output.splitlines()[1:]] == [one.name for one in drills()]


@pytest.mark.parametrize("arguments", [(), ("engine-killed", "--all")], ids=["none", "one and all"])
def test_it_wants_one_drill_or_all(arguments: tuple[str, ...]) -> None:
    refused = drill(*arguments)
    assert (refused.exit_code, "name one drill, or all of them with --all" in refused.output) == (2, True)


def test_a_drill_that_there_is_not_is_told_with_those_that_there_are() -> None:
    refused = drill("engine-lost")
    assert refused.exit_code == 1
    assert f"no drill 'engine-lost'; there are: {', '.join(one.name for one in drills())}" in refused.output


def test_nothing_is_broken_but_a_stack_of_this_machine(tmp_path: Path) -> None:
    refused = drill("engine-killed", home=tmp_path)
    assert (refused.exit_code, "no stack of `kvdeck up` runs here, and drills break nothing else" in refused.output) == (1, True)
