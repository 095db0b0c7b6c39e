"""`kvdeck emulator --help` teaches how an engine is started."""

import re

import msgspec
from click.testing import CliRunner

from stack.cli.emulator import command
from stack.emulator.identity import EngineSpec
from stack.model.tier import Pool


def test_the_example_of_the_help_is_an_engine_that_can_be_started() -> None:
    told = CliRunner().invoke(command, ["--help"]).output
    [body] = re.findall(r"-d '([^']+)'", told)
    assert msgspec.json.decode(body, type=EngineSpec) == EngineSpec(
        pool=Pool.DECODE, port=8100, model="smollm2", model_root="smollm2"
    )
