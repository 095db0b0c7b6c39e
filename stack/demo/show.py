"""What `kvdeck demo` prints."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.table import Table

from stack.demo.story import Played, Step


def table(played: Played) -> Table:
    """The steps with their times to first token."""
    caption = "Emulated engines: times are a model's." if played.emulated else None
    shown = Table(title="One prompt, from every tier", title_justify="left", caption=caption, caption_justify="left")
    for heading in ("", "asked", "KV from", "path", "engine"):
        shown.add_column(heading, no_wrap=True)
    shown.add_column("TTFT", justify="right", no_wrap=True)
    for number, step in enumerate(played.steps, 1):
        shown.add_row(str(number), step.step, step.source.value, step.path, step.engine, f"{step.ttft_seconds * 1000:,.0f} ms")
    return shown


def proofs(steps: Sequence[Step]) -> Iterator[str]:
    """For each step the metric that proves where the prompt's KV came from, or that does not."""
    for number, step in enumerate(steps, 1):
        yield f"{number}  {'' if step.proven else 'NOT PROVEN: '}{step.proof}"


def unproven(steps: Sequence[Step]) -> Iterator[str]:
    """For each step that its metric does not prove what was seen instead."""
    for number, step in enumerate(steps, 1):
        if not step.proven:
            seen = ", ".join(f"{source} {tokens}" for source, tokens in step.sources.items()) or "nothing"
            yield f"{number} {step.step}, {step.path} on {step.engine}: {step.proof}; all sources: {seen}"
