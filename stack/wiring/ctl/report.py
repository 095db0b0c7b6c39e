"""`kvdeck ctl report`: what a change came to."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from stack.adapters.http_access import Access
from stack.adapters.http_config import HttpConfigError, read_http_config
from stack.adapters.prometheus_query import PrometheusError, instant
from stack.api import report_tables
from stack.api.client import ControlClient
from stack.api.report_tables import TieredView
from stack.api.tier_shares import tier_shares
from stack.wiring.ctl.asking import Connection, Exit, fail, run, show


def one(connection: Connection, generation: int, prometheus: str | None, config: Path | None = None) -> Exit:
    """Print a change's report; with a Prometheus to ask, as the file `config` says, by tier, too."""

    def ask(client: ControlClient) -> Exit:
        view = client.report(generation)
        if prometheus is None:
            return show(connection, view, report_tables.report)
        try:
            asked = partial(instant, prometheus, access=Access(read_http_config(config)))
            shares = tuple(share for report in view.reports for share in tier_shares(report, asked))
        except (PrometheusError, HttpConfigError) as error:
            return fail(str(error), Exit.UNREACHABLE)
        tiered = TieredView(generation=view.generation, reports=view.reports, tiers=shares)
        return show(connection, tiered, report_tables.tiered)

    return run(connection, ask)
