"""What else the machine did."""

import sys
from pathlib import Path

from stack.bench.router.neighbours import Neighbours, share
from stack.bench.router.process import Yard
from stack.local.cores import usable_cores


def test_what_the_benchmark_did_itself_is_not_the_neighbours() -> None:
    assert share(busy=3.0, own=1.0, seconds=4.0) == 0.5
    assert share(busy=1.0, own=1.1, seconds=4.0) == 0.0


def test_a_process_that_ended_in_the_yard_is_no_hindrance(tmp_path: Path) -> None:
    with Yard(tmp_path) as yard:
        neighbours = Neighbours(yard)
        yard.start("gone", [sys.executable, "-c", ""], usable_cores())
        assert 0.0 <= neighbours.share() <= 1.0
