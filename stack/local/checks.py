"""The parts of `kvdeck test`: programs run one after the other, each timed, and the table of how they ended."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console, Group
from rich.markup import escape
from rich.table import Table


@dataclass(frozen=True, slots=True)
class Check:
    """One program that must end with status 0."""

    name: str
    command: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a check ended."""

    name: str
    passed: bool
    seconds: float


def checks(tools: Path, quick: bool, arguments: Sequence[str]) -> tuple[Check, ...]:
    """All checks; `tools` is the folder of their programs, `arguments` go to pytest."""
    pytest = (str(tools / "python"), "-m", "pytest", "-ra")
    return (
        Check("ruff check", (str(tools / "ruff"), "check", ".")),
        Check("ruff format", (str(tools / "ruff"), "format", "--check", ".")),
        Check("mypy", (str(tools / "mypy"),)),
        Check("lint-imports", (str(tools / "lint-imports"),)),
        *(Check(name, (*pytest, *options)) for name, options in _pytest(quick, arguments)),
    )


def _pytest(quick: bool, arguments: Sequence[str]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The runs of pytest. What the caller asks for is one run; else one on all cores, and one with the machine to itself."""
    if arguments:
        yield "pytest", (*(("-m", "not e2e") if quick else ()), *arguments)
        return
    yield "pytest", ("-m", "not e2e", "--numprocesses", "logical", "--dist", "loadfile")
    if not quick:
        yield "pytest end to end", ("-m", "e2e")


def run(
    checks: Sequence[Check],
    home: Path,
    environment: Mapping[str, str],
    console: Console,
    clock: Callable[[], float] = time.monotonic,
) -> tuple[Outcome, ...]:
    """Runs every check in `home`, whatever became of the one before; their output goes where ours goes."""
    outcomes = []
    for check in checks:
        console.rule(check.name, align="left", style="dim")
        started = clock()
        status = subprocess.run(check.command, cwd=home, env=environment, check=False).returncode
        outcomes.append(Outcome(check.name, status == 0, clock() - started))
    return tuple(outcomes)


def summary(outcomes: Sequence[Outcome], notes: Sequence[str]) -> Group:
    """The table to end with: one row a check, then what was left out and why."""
    table = Table("check", "result", "seconds", show_edge=False)
    for outcome in outcomes:
        result = "[green]passed[/green]" if outcome.passed else "[red]failed[/red]"
        table.add_row(outcome.name, result, f"{outcome.seconds:.1f}")
    return Group("", table, "", *map(escape, notes))
