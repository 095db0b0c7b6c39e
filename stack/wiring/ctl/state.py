"""`kvdeck ctl get`, `set` and `diff`: the fleet's state, and changes of it."""

from __future__ import annotations

from collections.abc import Sequence

from stack.api import tables
from stack.api.assignments import patch
from stack.api.client import ControlClient
from stack.api.schema import ChangeView
from stack.wiring.ctl.asking import Connection, Exit, run, show
from stack.wiring.ctl.file_lines import naming_lines


def get(connection: Connection, *, fields: bool) -> Exit:
    """Print the state; with `fields` every field of it."""
    return run(connection, lambda client: show(connection, client.state(), tables.fields if fields else tables.state))


def drift(connection: Connection) -> Exit:
    """Print where applied differs from desired."""
    return run(connection, lambda client: show(connection, client.state(), tables.drift))


def change(
    connection: Connection, words: Sequence[str], model: str | None, *, dry_run: bool, comment: str | None, force: bool = False
) -> Exit:
    """Read the state, and change it unless somebody else does in between."""

    def ask(client: ControlClient) -> Exit:
        state = client.state()
        document = patch(words, state.desired.models, model)
        with naming_lines(document, state):
            return changed(connection, client.change(document, state.generation, dry_run=dry_run, comment=comment, force=force))

    return run(connection, ask)


def changed(connection: Connection, view: ChangeView) -> Exit:
    """Print what a change did, and say whether every router follows, and any."""
    show(connection, view, tables.change)
    return Exit.PENDING if view.pending or view.unheard else Exit.APPLIED
