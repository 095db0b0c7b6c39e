"""`kvdeck ctl what-if`: another threshold, tried on what control remembers or on a file of decisions."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from stack.adapters.recorded import recorded
from stack.api import what_if_tables
from stack.api.client import ControlClient
from stack.control.decision import DecisionRecord
from stack.control.state import Dpd
from stack.control.what_if import what_if
from stack.wiring.ctl.asking import Connection, Exit, run, show


class WhichModelError(ValueError):
    """The file does not say which model is meant; the message says which there are."""


def asked(connection: Connection, thresholds: Sequence[int], model: str | None, min_uncached: int | None) -> Exit:
    """Print what control says."""

    def tried(client: ControlClient) -> Exit:
        return show(connection, client.what_if(thresholds, model, min_uncached=min_uncached), what_if_tables.what_if)

    return run(connection, tried)


def of_file(
    connection: Connection, file: Path, thresholds: Sequence[int], model: str | None, engines: int | None, min_uncached: int
) -> Exit:
    """Print what a file of decisions says. Raises NotDecisionsError, WhichModelError, OSError."""
    records = list(recorded(file))
    models = sorted({record.model for record in records})
    if model is None and len(models) != 1:
        raise WhichModelError(f"{file} has decisions about {', '.join(models) or 'nothing'}: say --model")
    name = model or models[0]
    mine = [record for record in records if record.model == name]
    last = mine[-1] if mine else None
    enabled = last is None or last.path_reason != "dpd_disabled"
    dpd = Dpd(enabled=enabled, routing_threshold=last.threshold if last else 0, min_uncached_tokens=min_uncached)
    return show(connection, what_if(name, mine, dpd, engines or _prefill_engines(mine), thresholds), what_if_tables.what_if)


def _prefill_engines(records: Sequence[DecisionRecord]) -> int | None:
    """The most that were routable at once; None where no prefill engine was ever chosen."""
    pools = [record.prefill for record in records if record.prefill is not None]
    return max((len(pool.candidates) + pool.omitted for pool in pools), default=None) or None
