"""What a person sees of a run: a progress line while it lasts, a table afterwards."""

from __future__ import annotations

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeElapsedColumn
from rich.table import Table

from stack.traffic.report import Quantiles, Row, Summary


class ProgressLine:
    """A bar of seconds when the run has an end, else a pulse. Draws on a terminal only."""

    def __init__(self, console: Console, duration: float | None) -> None:
        self._progress = Progress(
            TextColumn("traffic"),
            BarColumn(),
            TimeElapsedColumn(),
            TextColumn("{task.fields[done]} answered, {task.fields[failed]} failed, {task.fields[in_flight]} under way"),
            console=console,
            disable=not console.is_terminal,
            transient=True,
        )
        self._task: TaskID = self._progress.add_task("", total=duration, done=0, failed=0, in_flight=0)

    def __enter__(self) -> ProgressLine:
        self._progress.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self._progress.stop()

    def show(self, seconds: float, done: int, failed: int, in_flight: int) -> None:
        self._progress.update(self._task, completed=seconds, done=done, failed=failed, in_flight=in_flight)


def table(summary: Summary) -> Table:
    """Times are p50 / p95 / p99; cached is the share of prompt tokens that the endpoint called cached."""
    made = Table(title=_title(summary), title_justify="left")
    for column in (
        "kind",
        "requests",
        "failed",
        "first token p50/p95/p99",
        "between tokens p50/p95/p99",
        "total p50/p95/p99",
        "cached",
    ):
        made.add_column(column, justify="left" if column == "kind" else "right")
    for kind, row in summary.kinds.items():
        made.add_row(kind, *_cells(row))
    return made


def _title(summary: Summary) -> str:
    parts = ["emulated engines: times are a model's"] if summary.emulated else []
    parts += [f"{summary.requests} requests in {summary.seconds:.0f} s"]
    parts += [f"{count} {path}" for path, count in summary.paths.items()]
    parts += [f"{count} failed: {kind}" for kind, count in summary.failures.items()]
    parts += [f"{summary.skipped} skipped at the limit"] if summary.skipped else []
    parts += [f"{summary.too_long} left out, too long for the model"] if summary.too_long else []
    return ", ".join(parts)


def _cells(row: Row) -> list[str]:
    return [str(row.requests), str(row.failed), _times(row.first_token), _times(row.token_gap), _times(row.total), _cached(row)]


def _cached(row: Row) -> str:
    if row.cached_tokens is None or not row.prompt_tokens:
        return "unknown"
    return f"{row.cached_tokens / row.prompt_tokens:.0%}"


def _times(quantiles: Quantiles | None) -> str:
    if quantiles is None:
        return "unknown"
    return " / ".join(f"{value * 1000:.0f}" for value in (quantiles.p50, quantiles.p95, quantiles.p99)) + " ms"
