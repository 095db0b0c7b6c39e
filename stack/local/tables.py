"""What `kvdeck up` and `kvdeck status` print."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from rich.table import Table
from rich.text import Text

from stack.adapters.supervisor_link import Component, ComponentState

_STYLES = {
    ComponentState.STARTING: "yellow",
    ComponentState.READY: "green",
    ComponentState.STOPPED: "dim",
    ComponentState.FAILED: "red",
    ComponentState.HELD: "magenta",
}
_SHOWN = ("name", "kind", "url", "pid", "state", "detail")
# What a person opens or sends to, in this order, and what it is for.
_DOORS = {
    "router": "OpenAI API, at /v1",
    "dashboard": "look and steer, in a browser",
    "control": "control API, at /v1/state",
    "exporter": "KV cache metrics, at /metrics",
    "prometheus": "series and rules",
    "alertmanager": "alerts",
}


def status_table(components: Sequence[Component]) -> Table:
    """One line a component."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for title in ("name", "state", "pid", "url", "detail"):
        table.add_column(title, overflow="fold")
    for component in components:
        state = Text(component.state, style=_STYLES[component.state])
        pid = "" if component.pid is None else str(component.pid)
        table.add_row(component.name, state, pid, component.url or "", Text(component.detail))
    return table


def status_json(components: Sequence[Component]) -> str:
    """The same as one JSON document."""
    shown = [{name: getattr(component, name) for name in _SHOWN} for component in components]
    return msgspec.json.encode({"components": shown}).decode()


def doors_table(components: Sequence[Component]) -> Table:
    """Where a person goes."""
    urls = {component.name: component.url for component in components}
    table = Table(box=None, pad_edge=False, show_header=False)
    for name, purpose in _DOORS.items():
        if url := urls.get(name):
            table.add_row(Text(name, style="bold"), url, Text(purpose, style="dim"))
    return table
