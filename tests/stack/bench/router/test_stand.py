"""Measurements: what counts as a figure, and when a router is taken for ready."""

import sys
from pathlib import Path

import pytest

from stack.bench.router.chats import Shape, chats
from stack.bench.router.figures import Round
from stack.bench.router.placement import Placement
from stack.bench.router.process import ProcessError, Yard
from stack.bench.router.stand import Stand, await_answers, free_ports
from stack.bench.router.wrk import Load, Run
from stack.local.cores import usable_cores
from tests.stack.local.install.fakes import program

CORES = usable_cores()
CHATS = chats(Shape(1024, 256, 1, 5))
_SLEEPS = (sys.executable, "-c", "import time; time.sleep(60)")


def _stand(tmp_path: Path, said: str) -> Stand:
    wrk = program(tmp_path / "wrk", f"echo '{said}'; echo \"$KVDECK_FIRST $*\" >> {tmp_path}/asked")
    return Stand(Load(wrk, tmp_path), Placement(CORES, CORES), connections=32, seconds=1.0)


def test_a_round_is_throughput_cpu_and_what_is_added(tmp_path: Path) -> None:
    stand = _stand(tmp_path, '{"requests":1000,"seconds":2,"errors":0,"p50_ms":0.5,"p99_ms":2}')
    with Yard(tmp_path) as yard:
        taken = stand.round("http://h", yard.start("ours", _SLEEPS, CORES), Run(100, 1, 0, 0.2, 1.5))
    assert (taken.requests_per_second, taken.added_p50_ms, taken.added_p99_ms, taken.errors) == (500, 0.3, 0.5, 0)
    asked = [line.split() for line in (tmp_path / "asked").read_text().splitlines()]
    assert [(int(words[0]), words[2]) for words in asked] == [(0, "-c32"), (10_000_000, "-c32"), (20_000_000, "-c1")]


def test_a_run_with_errors_is_no_figure(tmp_path: Path) -> None:
    stand = _stand(tmp_path, '{"requests":1000,"seconds":2,"errors":3,"p50_ms":0.5,"p99_ms":2}')
    with Yard(tmp_path) as yard:
        taken = stand.round("http://h", yard.start("ours", _SLEEPS, CORES), Run(100, 1, 0, 0.2, 1.5))
    assert taken == Round(errors=6)


def test_ports_are_free_and_different() -> None:
    assert len(set(free_ports(5))) == 5


def test_a_router_that_ends_is_not_waited_for(tmp_path: Path) -> None:
    with Yard(tmp_path) as yard:
        process = yard.start("ours", ["sh", "-c", "exit 3"], CORES)
        with pytest.raises(ProcessError, match="ours ended with status 3"):
            await_answers(f"http://127.0.0.1:{free_ports(1)[0]}", CHATS, process)
