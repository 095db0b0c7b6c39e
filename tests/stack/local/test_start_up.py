from __future__ import annotations

from collections.abc import Iterable, Iterator
from io import StringIO
from itertools import count, repeat
from pathlib import Path

import pytest
from rich.console import Console

from stack.adapters.supervisor_link import Component, ComponentState
from stack.local.checklist import Checklist
from stack.local.start_up import StartUp, StartUpError
from stack.local.timings import Timings


def component(name: str, state: ComponentState, detail: str = "", failures: int = 0) -> Component:
    url = f"http://{name}" if name != "traffic" else None
    return Component(name=name, kind=name, url=url, pid=1, state=state, detail=detail, failures=failures)


SUPERVISOR = component("supervisor", ComponentState.READY)
STARTING, READY, FAILED, HELD = ComponentState.STARTING, ComponentState.READY, ComponentState.FAILED, ComponentState.HELD


def started(
    folder: Path,
    looks: list[list[Component]],
    lives: bool = True,
    faults: Iterable[str | None] = repeat(None),
    seconds: float = 0.0,
) -> tuple[StartUp, StringIO]:
    """A start-up that sees `looks` one after the other, the supervisor added, then `faults` of routing, and whose clock goes on
    by `seconds` each time; and what it writes."""
    seen: Iterator[list[Component]] = iter(looks)
    routing, times = iter(faults), count(0.0, seconds)
    written = StringIO()
    start_up = StartUp(
        Checklist(Console(file=written, width=200), clock=lambda: 0.0),
        Timings(folder / "timings.json"),
        look=lambda: (SUPERVISOR, *look) if (look := next(seen)) else (),
        lives=lambda: lives,
        unrouted=lambda _: next(routing),
        clock=lambda: next(times),
        pause=lambda _: None,
    )
    return start_up, written


def test_it_is_over_once_all_are_ready_or_held(tmp_path: Path) -> None:
    looks = [
        [],
        [component("redis", STARTING), component("router", STARTING)],
        [component("redis", READY), component("router", FAILED, "exited with code 1, restart 1 in 1 s", 1)],
        [component("redis", READY), component("router", READY), component("traffic", HELD)],
    ]
    start_up, written = started(tmp_path, looks)
    assert [shown.name for shown in start_up.follow()] == ["supervisor", "redis", "router", "traffic"]
    assert [line for line in written.getvalue().splitlines() if line.startswith("ok")] == [
        "ok     redis (0.0 s): http://redis",
        "ok     router (0.0 s): http://router",
        "ok     traffic (0.0 s): held",
    ]


def test_the_second_failure_of_one_component_ends_it(tmp_path: Path) -> None:
    start_up, _ = started(tmp_path, [[component("router", FAILED, "exited with code 1, restart 2 in 2 s", 2)]])
    with pytest.raises(StartUpError) as failed:
        start_up.follow()
    assert str(failed.value) == "router does not start: exited with code 1, restart 2 in 2 s"
    assert failed.value.component == "router"


def test_a_supervisor_that_ends_at_once_is_told(tmp_path: Path) -> None:
    start_up, _ = started(tmp_path, [[]], lives=False)
    with pytest.raises(StartUpError, match="the supervisor ended at once"):
        start_up.follow()


def test_an_engine_that_control_ends_meanwhile_is_not_waited_for(tmp_path: Path) -> None:
    looks = [[component("redis", STARTING), component("decode-1", STARTING)], [component("redis", READY)]]
    start_up, _ = started(tmp_path, looks)
    assert [shown.name for shown in start_up.follow()] == ["supervisor", "redis"]


def test_bars_are_measured_against_the_last_start(tmp_path: Path) -> None:
    timings = Timings(tmp_path / "timings.json")
    timings.record("decode-0", "engine", 41.26)
    again = Timings(tmp_path / "timings.json")
    assert (again.expected("decode-0", "engine"), again.expected("decode-7", "engine")) == (41.3, 41.3)
    assert again.expected("router", "router") is None


def test_it_is_not_over_before_a_request_would_find_an_engine(tmp_path: Path) -> None:
    faults = iter(["no ready decode engine", None, "nobody asks any more"])
    start_up, _ = started(tmp_path, [[component("router", READY)]], faults=faults)
    assert [shown.name for shown in start_up.follow()] == ["supervisor", "router"]
    assert next(faults) == "nobody asks any more"


def test_a_router_that_finds_no_engine_is_told(tmp_path: Path) -> None:
    start_up, _ = started(tmp_path, [[component("router", READY)]], faults=repeat("no ready decode engine"), seconds=50.0)
    with pytest.raises(StartUpError, match="everything runs, but no request finds an engine: no ready decode engine") as failed:
        start_up.follow()
    assert failed.value.component == "router"
