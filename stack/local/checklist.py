"""The checklist a person watches while the stack is installed and started: steps, each with a bar where its size is known."""

from __future__ import annotations

import time
from collections.abc import Callable
from enum import StrEnum
from types import TracebackType
from typing import Protocol, Self

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, Progress, ProgressColumn, SpinnerColumn, Task, TaskID, TextColumn
from rich.table import Column
from rich.text import Text


class Mark(StrEnum):
    """What a step has come to."""

    RUNNING = "..."
    DONE = "ok"
    FAILED = "failed"


class Display(Protocol):
    """Where steps are shown. Every call carries the step as it is now."""

    def opened(self, step: Step) -> None: ...

    def changed(self, step: Step) -> None: ...

    def closed(self, step: Step) -> None: ...


class Step:
    """One line of the checklist. As a context manager it ends done, or failed with the error that left the block."""

    def __init__(self, display: Display, title: str, total: float | None, clock: Callable[[], float]) -> None:
        self.title = title
        self.total = total
        self.completed = 0.0
        self.text = ""
        self.mark = Mark.RUNNING
        self._display = display
        self._clock = clock
        self._started = clock()
        display.opened(self)

    @property
    def seconds(self) -> float:
        """How long the step has taken so far."""
        return self._clock() - self._started

    def expect(self, total: float) -> None:
        """The size of the step became known."""
        self.total = total
        self._display.changed(self)

    def advance(self, amount: float = 1.0) -> None:
        """`amount` more of the total is done."""
        self.completed += amount
        self._display.changed(self)

    def detail(self, text: str) -> None:
        """What the step is doing just now, a few words."""
        self.text = text
        self._display.changed(self)

    def done(self, text: str = "") -> None:
        """The step is finished; `text` says what came of it."""
        self._close(Mark.DONE, text)

    def fail(self, line: str) -> None:
        """The step failed; `line` says why and what to do."""
        self._close(Mark.FAILED, line)

    def _close(self, mark: Mark, text: str) -> None:
        if self.mark is not Mark.RUNNING:
            return
        self.mark, self.text = mark, text
        self._display.closed(self)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if error is None:
            self.done()
        else:
            self.fail(str(error) or type(error).__name__)


class Checklist:
    """The steps of one run, in order; several may be open at once, also from other threads. Use it in a `with` block."""

    def __init__(self, console: Console, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._live = LiveDisplay(console) if console.is_terminal else None
        self._display: Display = self._live or PlainDisplay(console)

    def step(self, title: str, total: float | None = None) -> Step:
        """Opens a step. `total` is in any unit; without one the bar only says that something is going on."""
        return Step(self._display, title, total, self._clock)

    def __enter__(self) -> Self:
        if self._live is not None:
            self._live.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self._live is not None:
            self._live.stop()


class PlainDisplay:
    """A line when a step begins and one when it ends: for logs and pipes."""

    def __init__(self, console: Console) -> None:
        self._console = console

    def opened(self, step: Step) -> None:
        self._say(f"{Mark.RUNNING:<6} {step.title}")

    def changed(self, step: Step) -> None:
        """A log wants no moving bars."""

    def closed(self, step: Step) -> None:
        said = f": {step.text}" if step.text else ""
        self._say(f"{step.mark:<6} {step.title} ({step.seconds:.1f} s){said}")

    def _say(self, line: str) -> None:
        self._console.print(line, markup=False, highlight=False, soft_wrap=True)


class LiveDisplay:
    """One moving line a step, with a bar: for a terminal."""

    def __init__(self, console: Console) -> None:
        self._progress = Progress(
            SpinnerColumn(finished_text=""),
            TextColumn("{task.fields[mark]}"),
            TextColumn("{task.description}", table_column=Column(no_wrap=True)),
            BarColumn(bar_width=24),
            _Seconds(),
            TextColumn("[dim]{task.fields[text]}[/dim]", table_column=Column(ratio=1, no_wrap=True, overflow="ellipsis")),
            console=console,
            expand=True,
        )
        self._tasks: dict[Step, TaskID] = {}

    def start(self) -> None:
        self._progress.start()

    def stop(self) -> None:
        self._progress.stop()

    def opened(self, step: Step) -> None:
        self._tasks[step] = self._progress.add_task(escape(step.title), total=step.total, mark="", text="")

    def changed(self, step: Step) -> None:
        self._progress.update(self._tasks[step], total=step.total, completed=step.completed, text=escape(step.text))

    def closed(self, step: Step) -> None:
        if step.mark is Mark.DONE:
            total = step.total or 1.0
            self._progress.update(self._tasks[step], total=total, completed=total, mark="[green]ok[/green]", text=escape(step.text))
        else:
            self._progress.update(self._tasks[step], mark="[red]failed[/red]", text=escape(step.text))
        self._progress.stop_task(self._tasks[step])


class _Seconds(ProgressColumn):
    """Whole seconds a step has taken."""

    def render(self, task: Task) -> Text:
        elapsed = task.finished_time if task.finished else task.elapsed
        return Text(f"{elapsed or 0.0:4.0f} s", style="progress.elapsed")
