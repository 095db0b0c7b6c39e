"""`kvdeck up` beside a stack that is there already."""

from __future__ import annotations

from collections.abc import Sequence
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from stack.adapters.supervisor_link import Component, ComponentState
from stack.local.start_up import StartUpError
from stack.local.timings import Timings
from stack.wiring.up_beside import beside

READY, STARTING, FAILED, HELD = ComponentState.READY, ComponentState.STARTING, ComponentState.FAILED, ComponentState.HELD


def stack(router: ComponentState, failures: int = 0) -> tuple[Component, ...]:
    def component(name: str, state: ComponentState, failures: int = 0) -> Component:
        return Component(name=name, kind=name, url=f"http://{name}", pid=1, state=state, detail="busy", failures=failures)

    return component("supervisor", READY), component("router", router, failures), component("traffic", HELD)


def up(folder: Path, *looks: Sequence[Component]) -> tuple[int, str]:
    """The exit code beside a stack that is seen like this one time after the other, and what is said."""
    seen, written = iter(looks), StringIO()
    first = next(seen)

    def pause(seconds: float) -> None:
        assert seconds > 0

    code = beside(
        first, lambda: tuple(next(seen)), lambda _: None, Timings(folder / "timings.json"), Console(file=written, width=100), pause
    )
    return code, written.getvalue()


def test_a_stack_that_serves_is_told_at_once(tmp_path: Path) -> None:
    code, said = up(tmp_path, stack(READY))
    assert (code, said.splitlines()[0], "http://router" in said) == (0, "The stack runs already:", True)


def test_a_stack_that_is_starting_is_waited_for(tmp_path: Path) -> None:
    code, said = up(tmp_path, stack(STARTING)[:1], stack(STARTING), stack(STARTING), stack(READY))
    assert (code, said.splitlines()[0]) == (0, "The stack is starting already; Ctrl-C ends only this wait.")
    assert said.index("ok     router") < said.index("The stack runs already:")


def test_what_does_not_come_up_is_named(tmp_path: Path) -> None:
    with pytest.raises(StartUpError, match="router does not start: busy"):
        up(tmp_path, stack(STARTING), stack(FAILED, failures=2))
    with pytest.raises(StartUpError, match="the supervisor ended"):
        up(tmp_path, stack(STARTING), ())
    with pytest.raises(StartUpError, match="not all of it: router: busy: kvdeck status tells more"):
        up(tmp_path, stack(FAILED))


def test_ctrl_c_ends_the_wait_alone(tmp_path: Path) -> None:
    def interrupted() -> tuple[Component, ...]:
        raise KeyboardInterrupt

    console = Console(file=StringIO())
    timings = Timings(tmp_path / "t.json")
    assert beside(stack(STARTING), interrupted, lambda _: None, timings, console, lambda seconds: None) == 130


def test_a_stack_that_is_starting_serves_once_a_request_finds_an_engine(tmp_path: Path) -> None:
    faults = iter(["no ready decode engine", None])
    console = Console(file=StringIO(), width=100)
    timings = Timings(tmp_path / "t.json")
    assert beside(stack(STARTING), lambda: stack(READY), lambda _: next(faults), timings, console, lambda seconds: None) == 0
    assert next(faults, "all told") == "all told"
