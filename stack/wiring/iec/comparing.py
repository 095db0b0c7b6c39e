"""`kvdeck iec diff`: an InferenceEndpointConfig against what runs of it."""

from __future__ import annotations

import asyncio
import dataclasses
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import httpx
import msgspec
from rich.markup import escape
from rich.table import Table

from stack.adapters.bearer import TokenFileError, read_token
from stack.adapters.trust import TrustError
from stack.api.answers import ControlError
from stack.api.client import ControlClient
from stack.api.schema import StateView
from stack.doctor.engine_facts import ask_engines
from stack.kube.access import AccessError
from stack.kube.hyperpod.comparison import Facts, Steered, compare
from stack.kube.hyperpod.imported import served_name
from stack.kube.hyperpod.looking import look
from stack.kube.hyperpod.pods import Seen
from stack.kube.hyperpod.reading import ResourceError, read
from stack.kube.hyperpod.resource import Resource
from stack.kube.hyperpod.rows import Row, Standing
from stack.local.terminal import terminal
from stack.model.target import Target
from stack.wiring.ctl.asking import Connection
from stack.wiring.iec.printing import Exit, fail, print_json
from stack.wiring.iec.sources import STDIN, ClusterOptions, SourceError, cluster_access, from_cluster, from_file

_STYLES = {Standing.EQUAL: "green", Standing.DIFFERS: "red", Standing.UNKNOWN: "yellow"}


@dataclass(frozen=True, slots=True)
class Looking:
    """Which pods are the endpoint's, where its own word is not enough, and whether their engines are asked for versions."""

    selector: str | None
    ask_engines: bool


def run(source: str, control: Connection, where: ClusterOptions, how: Looking, *, strict: bool) -> Exit:
    """Print each field: equal, different, or unknown."""
    try:
        file = source == STDIN or Path(source).exists()
        wanted = read(from_file(source) if file else from_cluster(where, source)).resource
    except SourceError as error:
        return fail(str(error), Exit.UNREADABLE)
    except ResourceError as error:
        return fail(str(error), Exit.REFUSED)
    facts = asyncio.run(_facts(wanted, where, how))
    steered = _steered(control, served_name(wanted.spec) or wanted.spec.model_name)
    rows = compare(wanted, dataclasses.replace(facts, steered=steered))
    if control.json:
        print_json({"endpoint": wanted.name, "fields": msgspec.to_builtins(rows)})
    else:
        terminal().print(_table(rows))
    return _code(rows, strict=strict)


async def _facts(wanted: Resource, where: ClusterOptions, how: Looking) -> Facts:
    try:
        access = cluster_access(where.kubeconfig)
    except AccessError as error:
        why = f"no cluster is asked: {error}"
        return Facts(running_fault=why, pods_fault=why, routers_fault=why)
    namespace = where.namespace or str(wanted.metadata.get("namespace") or access.namespace)
    facts = await look(access, wanted, namespace, how.selector)
    return dataclasses.replace(facts, versions=await _versions(facts.pods or ())) if how.ask_engines else facts


async def _versions(pods: Sequence[Seen]) -> Mapping[str, str]:
    """What engines say of themselves, by pod; those that do not answer say nothing."""
    targets = [Target(replica=pod.name, url=pod.url, pool=pod.pool, model="", model_root="") for pod in pods if pod.url is not None]
    async with httpx.AsyncClient(trust_env=False) as http:
        engines = await ask_engines(http, targets, lambda _: None, time.time)
    return {engine.name: engine.version for engine in engines if engine.version is not None}


def _steered(connection: Connection, model: str) -> Steered:
    try:
        token = read_token(connection.token_file)
        with ControlClient(connection.url, token=token, authorities=connection.authorities) as client:
            return applied(client.state(), model)
    except (ControlError, TokenFileError, TrustError) as error:
        return Steered(fault=f"of kvdeck's routers nothing is known: {error}")


def applied(view: StateView, model: str) -> Steered:
    """What all live routers apply for `model`, once they apply the same."""
    state = view.desired.models.get(model)
    if state is None:
        return Steered(fault=f"kvdeck's control knows no model {model!r}")
    live = [router for router in view.applied.routers if router.live]
    if not live:
        return Steered(fault="no router of kvdeck's reports to its control")
    if behind := [router.id for router in live if router.generation != view.generation]:
        return Steered(fault=f"router {behind[0]} does not apply generation {view.generation} yet")
    own = {pool.strategy or state.strategy for pool in (state.pools.prefill, state.pools.decode)}
    threshold = state.dpd.routing_threshold if state.dpd.enabled else None
    return Steered(
        " and ".join(sorted(own)), threshold, f"{', '.join(router.id for router in live)} of kvdeck's: generation {view.generation}"
    )


def _table(rows: Sequence[Row]) -> Table:
    table = Table(box=None, pad_edge=False)
    for title in ("field", "", "wanted", "seen", "evidence"):
        table.add_column(title, overflow="fold")
    for row in rows:
        what = f"{row.standing} ({row.finding})" if row.finding else row.standing.value
        cells = (
            row.field,
            f"[{_STYLES[row.standing]}]{what}[/]",
            escape(row.wanted),
            escape(row.seen or "unknown"),
            escape(row.evidence),
        )
        table.add_row(*cells)
    return table


def _code(rows: Sequence[Row], *, strict: bool) -> Exit:
    standings = {row.standing for row in rows}
    if Standing.DIFFERS in standings:
        return Exit.DIFFERS
    return Exit.UNKNOWN if strict and Standing.UNKNOWN in standings else Exit.DONE
