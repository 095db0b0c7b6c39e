"""`kvdeck ctl experiment`: begins experiments, shows how they go, stops them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec.structs import replace

from stack.api import experiment_tables
from stack.api.assignments import patch
from stack.api.experiment_client import ExperimentClient
from stack.control.experiment import Proposal
from stack.wiring.ctl.asking import Connection, Exit, run_with, show


def start(
    connection: Connection, words: Sequence[str], model: str | None, proposal: Proposal, *, dry_run: bool, comment: str | None
) -> Exit:
    """Read the state, and let a share of the sessions try what `words` assign. `proposal` says all but the candidate."""

    def ask(client: ExperimentClient) -> Exit:
        state = client.state()
        asked = replace(proposal, candidate=patch(words, state.desired.models, model))
        view = client.begin(asked, state.generation, dry_run=dry_run, comment=comment)
        show(connection, view, experiment_tables.begun)
        return Exit.PENDING if view.pending or view.unheard else Exit.APPLIED

    return _run(connection, ask)


def every(connection: Connection, limit: int) -> Exit:
    """Print which there are."""
    return _run(connection, lambda client: show(connection, client.experiments(limit=limit), experiment_tables.every))


def one(connection: Connection, name: str) -> Exit:
    """Print how one goes."""
    return _run(connection, lambda client: show(connection, client.experiment(name), experiment_tables.one))


def stop(connection: Connection, name: str, comment: str | None) -> Exit:
    """End one, and print what it found."""
    return _run(connection, lambda client: show(connection, client.stop(name, comment=comment), experiment_tables.one))


def _run(connection: Connection, ask: Callable[[ExperimentClient], Exit]) -> Exit:
    return run_with(ExperimentClient, connection, ask)
