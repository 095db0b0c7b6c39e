"""`kvdeck status`, `stop`, `start` and `down`: each returns its exit code."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable

from rich.console import Console

from stack.adapters.supervisor_link import Component, ComponentState
from stack.config import Layout
from stack.local.asking import NotRunningError, asked, listed
from stack.local.birth import birth
from stack.local.ledger import Entry
from stack.local.leftovers import StubbornError, Sweep, survivors
from stack.local.supervisor import NAME as SUPERVISOR
from stack.local.tables import status_json, status_table

NOT_RUNNING = 3  # as service managers say
LOOK_SECONDS = 0.2
# Router's drain, engines' grace and the rest, one after the other, with room to spare.
SHUTDOWN_SECONDS = 90.0
HOLD_SECONDS = 60.0


def status(layout: Layout, console: Console, as_json: bool) -> int:
    """Prints the components; 3 when there is no supervisor."""
    components = listed(layout)
    shown = components or _unsupervised(survivors(layout))
    if as_json:
        console.print(status_json(shown), markup=False, highlight=False, soft_wrap=True)
    else:
        console.print(status_table(shown))
    return 0 if components else NOT_RUNNING


def _unsupervised(entries: list[Entry]) -> tuple[Component, ...]:
    """What the last supervisor left; nobody watches it, so nothing is said to be fine."""
    left = [entry for entry in entries if entry.name != SUPERVISOR]
    detail = "was killed: kvdeck down ends what it left, kvdeck up begins anew" if left else "kvdeck up starts the stack"
    state = ComponentState.FAILED if left else ComponentState.STOPPED
    own = Component(name=SUPERVISOR, kind=SUPERVISOR, url=None, pid=None, state=state, detail=detail)
    return (own, *(_unwatched(entry) for entry in left))


def _unwatched(entry: Entry) -> Component:
    detail = "runs without a supervisor"
    return Component(name=entry.name, kind=entry.kind, url=entry.url, pid=entry.pid, state=ComponentState.FAILED, detail=detail)


def hold(layout: Layout, console: Console, name: str) -> int:
    """Holds `name` down and waits until it is."""
    return _ask(layout, console, "stop", name, lambda found: found.state is ComponentState.HELD and found.pid is None, "held down")


def release(layout: Layout, console: Console, name: str) -> int:
    """Lets `name` start; does not wait until it serves."""
    return _ask(layout, console, "start", name, lambda found: found.state is not ComponentState.HELD, "starts")


def _ask(layout: Layout, console: Console, op: str, name: str, done: Callable[[Component], bool], word: str) -> int:
    try:
        answer = asked(layout, op, name)
        if answer.error is not None:
            console.print(f"kvdeck: {answer.error}", markup=False, highlight=False)
            return 1
        patience = time.monotonic() + HOLD_SECONDS
        while not any(component.name == name and done(component) for component in asked(layout, "status").components):
            if time.monotonic() > patience:
                console.print(f"kvdeck: {name} is not {word} after {HOLD_SECONDS:.0f} s: kvdeck status", highlight=False)
                return 1
            time.sleep(LOOK_SECONDS)
    except NotRunningError as error:
        console.print(f"kvdeck: {error}", highlight=False)
        return NOT_RUNNING
    console.print(f"{name}: {word}", highlight=False)
    return 0


def down(layout: Layout, console: Console) -> int:
    """Ends everything, with or without a supervisor, and what it left behind."""
    ran = _shut_down(layout, console)
    try:
        left = Sweep(layout).run()
    except StubbornError as error:
        console.print(f"kvdeck: {error}", highlight=False)
        return 1
    if left:
        console.print(f"ended what no supervisor watched: {', '.join(left)}", highlight=False)
    console.print("everything is stopped" if ran or left else "nothing runs here", highlight=False)
    return 0


def _shut_down(layout: Layout, console: Console) -> bool:
    """Asks the supervisor and waits for its end. Whether there was one."""
    own = next((entry for entry in survivors(layout) if entry.name == SUPERVISOR), None)
    try:
        asked(layout, "shutdown")
    except NotRunningError:
        if own is not None:
            os.kill(own.pid, signal.SIGTERM)  # it may be starting, or too busy to answer
    if own is None:
        return False
    console.print("stopping, the router first and the store last ...", highlight=False)
    patience = time.monotonic() + SHUTDOWN_SECONDS
    while birth(own.pid) == own.birth and time.monotonic() < patience:
        time.sleep(LOOK_SECONDS)
    return True
