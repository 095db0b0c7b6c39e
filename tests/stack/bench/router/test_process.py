"""Processes of a benchmark: pinned, timed, and never left behind."""

import os
import sys
from pathlib import Path

import psutil
import pytest

from stack.bench.router.process import ProcessError, Yard, output_of

_SLEEPS = (sys.executable, "-c", "import time; print('here', flush=True); time.sleep(60)")


def test_what_was_started_is_on_its_cores_and_ends_with_the_block(tmp_path: Path) -> None:
    core = min(os.sched_getaffinity(0))
    with Yard(tmp_path) as yard:
        process = yard.start("some router", _SLEEPS, [core])
        pid = psutil.Process().children()[-1].pid
        assert os.sched_getaffinity(pid) == {core}
        process.require_alive()
        assert process.cpu_seconds() >= 0
    assert not psutil.pid_exists(pid)
    assert process.log == tmp_path / "bench-some-router.log"
    with pytest.raises(ProcessError, match="some router"):
        process.require_alive()


def test_what_cannot_be_started_is_named(tmp_path: Path) -> None:
    with Yard(tmp_path) as yard, pytest.raises(ProcessError, match="nginx cannot be started"):
        yard.start("nginx", ["/nowhere/nginx"], tuple(os.sched_getaffinity(0)))


def test_a_program_that_fails_says_why() -> None:
    cores = tuple(os.sched_getaffinity(0))
    assert output_of("wrk", ["sh", "-c", "echo $SAID"], cores, {"SAID": "fine"}, 5) == "fine\n"
    with pytest.raises(ProcessError, match="wrk failed: no back end"):
        output_of("wrk", ["sh", "-c", "echo no back end >&2; exit 1"], cores, {}, 5)
