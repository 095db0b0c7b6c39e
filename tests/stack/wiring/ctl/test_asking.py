"""`kvdeck ctl` finds control, and says by its exit code how it went."""

from __future__ import annotations

import asyncio
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner

from stack.adapters.supervisor_link import Component, ComponentState, SupervisorAnswer
from stack.cli.ctl import command
from stack.config import Layout
from stack.local.link_server import listening
from stack.wiring.ctl.asking import control_url
from tests.stack.wiring.ctl.stand import CHANGED, control, refusal, run


@pytest.mark.parametrize(
    ("status", "body", "exit_code", "said"),
    [
        (202, msgspec.structs.replace(CHANGED, pending=("router-1",)), 3, "not yet acknowledged by router-1"),
        (200, msgspec.structs.replace(CHANGED, unheard=True), 3, "8 is in force; no router reports: nothing goes by it yet"),
        (422, refusal("refused"), 4, "models.smollm2.strategy: it is refused"),
        (401, refusal("unauthorized"), 4, "--token-file FILE, made by `kvdeck token new`"),
        (403, refusal("forbidden"), 4, "it is forbidden"),
        (403, refusal("mode"), 4, "it is mode"),
        (409, refusal("stale"), 5, "it is stale"),
        (200, "hello", 6, "is not control"),
    ],
)
def test_the_exit_code_says_how_it_went(status: int, body: object, exit_code: int, said: str) -> None:
    with control(status, body) as server:
        done = run(server, "set", "strategy=session")
    assert (done.exit_code, said in done.output) == (exit_code, True)


def test_for_programs_a_refusal_is_json_on_standard_output() -> None:
    with control(422, refusal("refused")) as server:
        done = run(server, "set", "strategy=session", "--json")
        told = {"error": {"code": "refused", "message": "it is refused", "field": "models.smollm2.strategy"}}
        assert (done.exit_code, msgspec.json.decode(done.stdout)) == (4, told)
    unreachable = CliRunner().invoke(command, ["get", "--url", "http://127.0.0.1:9", "--json"])
    assert (unreachable.exit_code, msgspec.json.decode(unreachable.stdout)["error"]["code"]) == (6, "unreachable")


def test_nobody_there_is_exit_code_6() -> None:
    done = CliRunner().invoke(command, ["get", "--url", "http://127.0.0.1:9"])
    assert (done.exit_code, "control does not answer at http://127.0.0.1:9" in done.output) == (6, True)


@pytest.mark.parametrize("words", [["set"], ["set", "strategy"], ["set", "a=1", "a=2"], ["get", "--token-file", "/nowhere"]])
def test_what_makes_no_sense_is_exit_code_2(words: list[str]) -> None:
    with control() as server:
        assert run(server, *words).exit_code == 2
        assert server.patches == []


async def test_control_is_where_this_checkouts_stack_has_it(tmp_path: Path) -> None:
    layout = Layout(home=tmp_path, runtime=tmp_path)
    own = Component(name="control", kind="control", url="http://127.0.0.1:25001", pid=1, state=ComponentState.READY)
    async with listening(layout.supervisor_socket, lambda _: SupervisorAnswer(components=(own,))):
        assert await asyncio.to_thread(control_url, layout) == "http://127.0.0.1:25001"
    assert await asyncio.to_thread(control_url, layout) == "http://127.0.0.1:8010"  # no stack runs here
