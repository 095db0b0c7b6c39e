import os
import signal
from pathlib import Path

import pytest

from stack.local import sessions
from stack.local.birth import birth
from stack.local.ledger import read_ledger
from stack.local.process import Command, told
from stack.local.spec import Stage, StartError
from tests.stack.local.living import CRASHER, SLEEPER, STUBBORN, host, python, until

PARENT = f"import subprocess, sys, time; subprocess.Popen([sys.executable, '-S', '-c', {SLEEPER!r}]); time.sleep(600)"


async def test_a_process_is_noted_while_it_runs(tmp_path: Path) -> None:
    process = await python(host(tmp_path), SLEEPER).start("a")
    (entry,) = read_ledger(tmp_path / "processes.json")
    assert (entry.name, entry.pid, entry.alive) == ("a", process.pid, True)
    await process.stop()
    assert read_ledger(tmp_path / "processes.json") == []
    assert birth(process.pid) is None


async def test_what_it_says_is_in_its_log(tmp_path: Path) -> None:
    process = await python(host(tmp_path), "import sys; print('out', flush=True); sys.exit('err')").start("a")
    assert await process.wait() == "exited with code 1"
    await process.stop()
    assert (tmp_path / "logs" / "a.log").read_text() == "out\nerr\n"


async def test_how_it_ended_is_told(tmp_path: Path) -> None:
    crashed = await python(host(tmp_path), CRASHER).start("a")
    assert await crashed.wait() == "exited with code 3"
    killed = await python(host(tmp_path), SLEEPER).start("b")
    os.kill(killed.pid, signal.SIGKILL)
    assert await killed.wait() == "killed by SIGKILL"
    await crashed.stop()
    await killed.stop()
    assert told(-200) == "killed by signal 200"


async def test_one_that_ignores_sigterm_is_killed_after_its_grace(tmp_path: Path) -> None:
    process = await python(host(tmp_path), STUBBORN, grace=0.2).start("a")
    await until(lambda: (tmp_path / "logs" / "a.log").read_text() == "deaf\n")
    await process.stop()
    assert await process.wait() == "killed by SIGKILL"


async def test_children_do_not_outlive_a_killed_parent(tmp_path: Path) -> None:
    process = await python(host(tmp_path), PARENT).start("a")
    await until(lambda: len(sessions.members(process.pid)) == 2)
    os.kill(process.pid, signal.SIGKILL)
    await process.wait()
    assert len(sessions.members(process.pid)) == 1
    await process.stop()
    assert sessions.members(process.pid) == frozenset()


async def test_cores_and_niceness_are_the_kernels_from_the_start(tmp_path: Path) -> None:
    core = min(os.sched_getaffinity(0))
    code = "import os; print(os.sched_getaffinity(0), os.nice(0), os.environ['SAID'])"
    command = Command(
        host=host(tmp_path),
        kind="test",
        argv=python(host(tmp_path), f"import time; time.sleep(0.2); {code}").argv,
        environment={"SAID": "yes"},
        stage=Stage.ENGINE,
        nice=3,
        cores=(core,),
    )
    process = await command.start("a")
    await process.wait()
    await process.stop()
    assert (tmp_path / "logs" / "a.log").read_text() == f"{{{core}}} {os.nice(0) + 3} yes\n"


async def test_a_missing_program_is_a_start_error(tmp_path: Path) -> None:
    command = Command(host=host(tmp_path), kind="test", argv=("/no/such/program",), stage=Stage.SERVICE)
    with pytest.raises(StartError, match="/no/such/program cannot be started: No such file or directory"):
        await command.start("a")
