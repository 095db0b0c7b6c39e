"""What `kvdeck demo` prints."""

from __future__ import annotations

from collections.abc import Sequence

from rich.table import Table

from stack.demo.story import Step


def table(steps: Sequence[Step]) -> Table:
    """The steps as a table: time to first token, and the metric that proves where the KV came from."""
    shown = Table(title="One prompt, from every tier", title_justify="left")
    for heading in ("asked", "KV from", "path", "engine"):
        shown.add_column(heading, no_wrap=True)
    shown.add_column("TTFT", justify="right", no_wrap=True)
    shown.add_column("proof", overflow="fold")
    for step in steps:
        mark = "" if step.proven else "not proven: "
        shown.add_row(step.step, step.source.value, step.path, step.engine, _duration(step.ttft_seconds), mark + step.proof)
    return shown


def _duration(seconds: float) -> str:
    return f"{seconds * 1000:,.0f} ms"
