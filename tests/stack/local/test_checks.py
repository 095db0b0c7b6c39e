"""The parts of `kvdeck test`."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator
from pathlib import Path

from rich.console import Console

from stack.local.checks import Check, Outcome, checks, run, summary


def _shown(table: object) -> str:
    console = Console(file=io.StringIO(), width=100)
    with console.capture() as capture:
        console.print(table)
    return capture.get()


def _pytests(quick: bool, *arguments: str) -> list[tuple[str, ...]]:
    listed = checks(Path("/env/bin"), quick, arguments)
    assert [check.name for check in listed[:4]] == ["ruff check", "ruff format", "mypy", "lint-imports"]
    return [check.command[3:] for check in listed[4:]]


def test_quick_leaves_only_the_end_to_end_tests_out() -> None:
    shared = ("-ra", "-m", "not e2e", "--numprocesses", "logical", "--dist", "loadfile")
    assert _pytests(True) == [shared]
    assert _pytests(False) == [shared, ("-ra", "-m", "e2e")]


def test_what_the_caller_asks_of_pytest_is_one_run() -> None:
    assert _pytests(False, "-k", "router") == [("-ra", "-k", "router")]
    assert _pytests(True, "-k", "router") == [("-ra", "-m", "not e2e", "-k", "router")]


def test_a_failed_check_does_not_stop_the_next(tmp_path: Path) -> None:
    ticks: Iterator[float] = iter((0.0, 2.0, 2.0, 5.0))
    listed = (Check("bad", (sys.executable, "-c", "exit(3)")), Check("good", (sys.executable, "-c", "")))
    outcomes = run(listed, tmp_path, {}, Console(file=io.StringIO()), lambda: next(ticks))
    assert outcomes == (Outcome("bad", False, 2.0), Outcome("good", True, 3.0))


def test_the_table_ends_with_what_was_left_out() -> None:
    shown = _shown(summary([Outcome("mypy", True, 12.34), Outcome("pytest", False, 80)], ["browser tests skipped: no chromium"]))
    lines = [line.split() for line in shown.splitlines()]
    assert [line for line in lines if line[:1] in (["mypy"], ["pytest"], ["browser"])] == [
        ["mypy", "│", "passed", "│", "12.3"],
        ["pytest", "│", "failed", "│", "80.0"],
        ["browser", "tests", "skipped:", "no", "chromium"],
    ]
