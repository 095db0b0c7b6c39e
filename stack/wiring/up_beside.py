"""`kvdeck up` where the stack runs already, or is being started by another `kvdeck up`: it is waited for, and never ended."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rich.console import Console

from stack.adapters.supervisor_link import Component, ComponentState
from stack.local.checklist import Checklist
from stack.local.start_up import Look, StartUp, StartUpError, Unrouted
from stack.local.tables import doors_table
from stack.local.timings import Timings


def beside(
    running: Sequence[Component],
    look: Look,
    unrouted: Unrouted,
    timings: Timings,
    console: Console,
    pause: Callable[[float], None],
) -> int:
    """0 once everything serves or is held, 130 on Ctrl-C. Raises StartUpError when something does not come up."""
    if len(running) == 1 or any(component.state is ComponentState.STARTING for component in running):
        console.print("The stack is starting already; Ctrl-C ends only this wait.")
        try:
            with Checklist(console) as checklist:
                running = StartUp(checklist, timings, look, lives=lambda: False, unrouted=unrouted, pause=pause).follow()
        except KeyboardInterrupt:
            return 130  # as shells say of Ctrl-C
    failed = [f"{component.name}: {component.detail}" for component in running if component.state is ComponentState.FAILED]
    if failed:
        raise StartUpError(f"the stack runs already, but not all of it: {'; '.join(failed)}: kvdeck status tells more")
    console.print("The stack runs already:")
    console.print(doors_table(running))
    return 0
