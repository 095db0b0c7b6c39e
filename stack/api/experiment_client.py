"""The control API's client, with experiments."""

from __future__ import annotations

from urllib.parse import quote

import msgspec

from stack.api.client import ControlClient, options
from stack.api.experiment_schema import BegunView, ExperimentsView, ExperimentView
from stack.control.experiment import Proposal


class ExperimentClient(ControlClient):
    """As ControlClient."""

    def begin(self, proposal: Proposal, generation: int, *, dry_run: bool = False, comment: str | None = None) -> BegunView:
        """Run `proposal` on what is desired in `generation`; a dry run only says what it would be."""
        headers = {"If-Match": f'"{generation}"', "Content-Type": "application/json"}
        body = msgspec.json.encode(proposal)
        return self._decode(self._send("POST", "/v1/experiments", options(dry_run, comment), headers, body), BegunView)

    def experiments(self, *, limit: int = 100) -> ExperimentsView:
        """Running and ended ones, newest first."""
        return self._read("/v1/experiments", {"limit": str(limit)}, ExperimentsView)

    def experiment(self, name: str) -> ExperimentView:
        """One of them with what it found."""
        return self._read(f"/v1/experiments/{quote(name, safe='')}", {}, ExperimentView)

    def stop(self, name: str, *, comment: str | None = None) -> ExperimentView:
        """End it: everything goes by what is in force again."""
        path = f"/v1/experiments/{quote(name, safe='')}/stop"
        return self._decode(self._send("POST", path, options(False, comment), {}, b""), ExperimentView)
