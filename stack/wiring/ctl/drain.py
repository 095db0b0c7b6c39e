"""`kvdeck ctl drain`: engines by name, as a change of their pools' lists."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from stack.api.assignments import AssignmentError
from stack.api.client import ControlClient
from stack.api.schema import StateView
from stack.model.tier import Pool
from stack.wiring.ctl.asking import Connection, Exit, run
from stack.wiring.ctl.file_lines import naming_lines
from stack.wiring.ctl.state import changed


def drain(connection: Connection, engines: Sequence[str], *, undo: bool, dry_run: bool, comment: str | None) -> Exit:
    """Read which engines are out, and change that unless somebody else does in between."""

    def ask(client: ControlClient) -> Exit:
        state = client.state()
        document = drained(state, engines, undo=undo)
        with naming_lines(document, state):
            return changed(connection, client.change(document, state.generation, dry_run=dry_run, comment=comment))

    return run(connection, ask)


def drained(state: StateView, engines: Collection[str], *, undo: bool) -> dict[str, object]:
    """The patch that takes `engines` out of rotation, or back. Raises AssignmentError for a name that no engine has."""
    models: dict[str, dict[str, dict[str, object]]] = {}
    unknown = set(engines)
    for model, wanted in state.desired.models.items():
        for pool in Pool:
            out = set(wanted.pools.of(pool).drained)
            there = {engine.name for engine in state.engines if (engine.model, engine.pool) == (model, pool)}
            if named := (there | out) & set(engines):
                models.setdefault(model, {"pools": {}})["pools"][pool] = {"drained": sorted(out - named if undo else out | named)}
                unknown -= named
    if unknown:
        names = ", ".join(engine.name for engine in state.engines) or "none"
        raise AssignmentError(f"no engine {min(unknown)!r}; there are: {names}")
    return {"models": models}
