"""`kvdeck status`, `stop`, `start` and `down`."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from contextlib import suppress

from stack.adapters.supervisor_link import Component, ComponentState
from stack.config import Layout
from stack.local.asking import NotRunningError, asked, listed
from stack.local.birth import birth
from stack.local.ledger import Entry
from stack.local.leftovers import Sweep, survivors
from stack.local.supervisor import NAME as SUPERVISOR

LOOK_SECONDS = 0.2
# The router's drain, the engines' grace and the rest, one after the other, with room to spare.
SHUTDOWN_SECONDS = 90.0
HOLD_SECONDS = 60.0

Say = Callable[[str], None]


class CommandError(Exception):
    """What was asked did not come about; the message is one line that says what to do."""


def status(layout: Layout) -> tuple[tuple[Component, ...], bool]:
    """Every component, the supervisor first, and whether there is a supervisor."""
    components = listed(layout)
    return components or _unsupervised(survivors(layout)), bool(components)


def hold(layout: Layout, name: str) -> None:
    """Holds component `name` down; returns once it is. Raises CommandError, NotRunningError."""
    _ask(layout, "stop", name)
    patience = time.monotonic() + HOLD_SECONDS
    while not any(component.name == name and _is_down(component) for component in asked(layout, "status").components):
        if time.monotonic() > patience:
            raise CommandError(f"{name} is not down after {HOLD_SECONDS:.0f} s: kvdeck status shows it")
        time.sleep(LOOK_SECONDS)


def release(layout: Layout, name: str) -> None:
    """Lets component `name` start; does not wait until it serves. Raises CommandError, NotRunningError."""
    _ask(layout, "start", name)


def down(layout: Layout, say: Say) -> None:
    """Ends everything, with or without a supervisor, and what it left behind. Raises StubbornError."""
    ran = _shut_down(layout, say)
    left = Sweep(layout).run()
    if left:
        say(f"ended what no supervisor watched: {', '.join(left)}")
    say("everything is stopped" if ran or left else "nothing runs here")


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


def _is_down(component: Component) -> bool:
    return component.state is ComponentState.HELD and component.pid is None


def _ask(layout: Layout, op: str, name: str) -> None:
    answer = asked(layout, op, name)
    if answer.error is not None:
        raise CommandError(answer.error)


def _shut_down(layout: Layout, say: Say) -> bool:
    """Asks the supervisor and waits for its end. Whether there was one."""
    own = next((entry for entry in survivors(layout) if entry.name == SUPERVISOR), None)
    try:
        asked(layout, "shutdown")
    except NotRunningError:
        if own is not None:
            with suppress(ProcessLookupError):
                os.kill(own.pid, signal.SIGTERM)  # it may be starting, or too busy to answer
    if own is None:
        return False
    say("stopping, the router first and the store last ...")
    patience = time.monotonic() + SHUTDOWN_SECONDS
    while birth(own.pid) == own.birth and time.monotonic() < patience:
        time.sleep(LOOK_SECONDS)
    return True
