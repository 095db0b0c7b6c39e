from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import msgspec

from stack.adapters.supervisor_link import ComponentState
from stack.config import Layout
from stack.local import sessions
from stack.local.asking import listed
from stack.local.birth import birth
from stack.local.commands import down, status
from stack.local.leftovers import Sweep, orphans, survivors
from stack.local.paths import StackPaths
from stack.local.process import MARK
from tests.stack.local.living import until_now

# A real supervisor, lock and socket and all, over three small processes; one has a child that outlives it.
SUPERVISOR = """
import asyncio, os, sys, time
from pathlib import Path
from stack.config import Layout
from stack.local import runtime_folder
from stack.local.birth import birth
from stack.local.ledger import Entry, Ledger
from stack.local.link_server import listening
from stack.local.paths import StackPaths
from stack.local.process import Host
from stack.local.seats import Seats
from stack.local.spec import Stage
from stack.local.supervisor import Supervisor
from stack.local.target_list import TargetList
from stack.local.timings import Timings
from tests.stack.local.test_supervisor import LAST_WORDS, Bench
from tests.stack.local.living import SLEEPER
from tests.stack.local.test_process import PARENT

layout = Layout(Path(sys.argv[1]), Path(sys.argv[2]))
paths = StackPaths(layout)

async def main():
    bench = Bench(layout.state)
    ledger = Ledger(paths.ledger)
    own = birth(os.getpid())
    ledger.began(Entry(name="supervisor", kind="supervisor", pid=os.getpid(), birth=own, stage=4, grace=5.0))
    bench.host = Host(logs=layout.logs, ledger=ledger, environment=os.environ, folder=layout.home)
    specs = [bench.spec("redis", LAST_WORDS, Stage.STORE), bench.spec("router", LAST_WORDS), bench.spec("parent", PARENT)]
    runtime_folder.prepare(layout.runtime)
    async with listening(layout.supervisor_socket, bench.supervisor.handle):
        await bench.supervisor.run(specs, [])
    ledger.ended("supervisor")

asyncio.run(main())
"""


def started(layout: Layout) -> subprocess.Popen[bytes]:
    root = Path(__file__).parents[3]
    environment = {**os.environ, MARK: layout.runtime.name, "PYTHONPATH": str(root)}
    argv = [sys.executable, "-c", SUPERVISOR, str(layout.home), str(layout.runtime)]
    supervisor = subprocess.Popen(argv, env=environment, cwd=root, start_new_session=True)
    until_now(lambda: [component.state for component in listed(layout)] == [ComponentState.READY] * 4)
    until_now(lambda: all((layout.logs / f"{name}.log").read_text() == "up\n" for name in ("redis", "router")))
    return supervisor


def layout_in(folder: Path) -> Layout:
    return Layout.of(folder, Path("/tmp"))


def killed(layout: Layout, supervisor: subprocess.Popen[bytes]) -> None:
    supervisor.send_signal(signal.SIGKILL)
    supervisor.wait()
    until_now(lambda: not listed(layout))


def test_down_ends_what_a_killed_supervisor_left(tmp_path: Path) -> None:
    layout = layout_in(tmp_path)
    killed(layout, started(layout))
    components, runs = status(layout)
    assert not runs
    assert {component.name: component.state for component in components} == dict.fromkeys(
        ("supervisor", "redis", "router", "parent"), ComponentState.FAILED
    )
    said: list[str] = []
    down(layout, said.append)
    assert said == ["ended what no supervisor watched: redis, router, parent", "everything is stopped"]
    assert (survivors(layout), orphans(layout)) == ([], frozenset())
    assert not layout.runtime.exists()
    assert not StackPaths(layout).ledger.exists()
    ends = [int((layout.logs / f"{name}.log").read_text().split()[1]) for name in ("router", "redis")]
    assert ends == sorted(ends)  # the store went last here too


def test_down_asks_a_living_supervisor(tmp_path: Path) -> None:
    layout = layout_in(tmp_path)
    supervisor = started(layout)
    said: list[str] = []
    down(layout, said.append)
    assert said == ["stopping, the router first and the store last ...", "everything is stopped"]
    assert supervisor.wait() == 0
    assert orphans(layout) == frozenset()


def test_down_where_nothing_runs_says_so(tmp_path: Path) -> None:
    said: list[str] = []
    down(layout_in(tmp_path), said.append)
    assert said == ["nothing runs here"]


def test_a_child_whose_parents_are_all_dead_is_found(tmp_path: Path) -> None:
    layout = layout_in(tmp_path)
    supervisor = started(layout)
    parent = next(entry for entry in survivors(layout) if entry.name == "parent")
    until_now(lambda: len(sessions.members(parent.pid)) == 2)
    (child,) = sessions.members(parent.pid) - {parent.pid}
    killed(layout, supervisor)
    os.kill(parent.pid, signal.SIGKILL)
    until_now(lambda: not parent.alive)
    assert child in orphans(layout)
    Sweep(layout).run()
    assert birth(child) is None


def test_a_stranger_with_a_noted_pid_is_left_alone(tmp_path: Path) -> None:
    layout = layout_in(tmp_path)
    stranger = subprocess.Popen([sys.executable, "-S", "-c", "input()"], stdin=subprocess.PIPE)
    entry = {"name": "redis", "kind": "store", "pid": stranger.pid, "birth": "another boot/1", "stage": 0, "grace": 1.0}
    ledger = StackPaths(layout).ledger
    ledger.parent.mkdir(parents=True)
    ledger.write_bytes(msgspec.json.encode([entry]))
    assert Sweep(layout).run() == ()
    assert stranger.poll() is None
    stranger.communicate(b"\n")
