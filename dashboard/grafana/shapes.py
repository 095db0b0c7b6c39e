"""The few panel shapes that the dashboards are made of, as Grafana's JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from stack.metrics.promql import KEPT
from stack.metrics.queries import Query

Json = dict[str, Any]

DATASOURCE: Json = {"type": "prometheus", "uid": "${datasource}"}
COLUMNS = 24
_UNITS = {
    "": "short",
    "1/s": "cps",
    "bytes": "bytes",
    "bytes/s": "Bps",
    "ratio": "percentunit",
    "requests/s": "reqps",
    "seconds": "s",
}


class Needs(StrEnum):
    """The weakest thing that a panel's series come from, as alerts say it."""

    NATIVE = "native"
    EXPORTER = "exporter"
    ROUTER = "router"
    CONTROL = "control"


_SAID = {
    Needs.NATIVE: ("Prometheus scraping the engines and cache servers themselves", "Not said by these engines or cache servers"),
    Needs.EXPORTER: ("kvdeck's exporter", "Needs kvdeck's exporter, and engines that say it"),
    Needs.ROUTER: ("kvdeck's router", "Needs kvdeck's router, and traffic"),
    Needs.CONTROL: ("kvdeck's control", "Needs kvdeck's control"),
}


class Shape(StrEnum):
    """How a panel draws. STACKED is for parts of one whole."""

    LINES = "timeseries"
    STACKED = "stacked"
    STAT = "stat"
    TABLE = "table"


@dataclass(frozen=True, slots=True)
class Panel:
    """Queries of one unit under one title. `empty` says when it has no series though all runs; `runbook` is an alert's name."""

    title: str
    queries: tuple[Query, ...]
    needs: Needs
    shape: Shape = Shape.LINES
    width: int = 12
    empty: str = ""
    runbook: str = ""
    names: tuple[str, ...] = ()  # of the queries, where there are several


@dataclass(frozen=True, slots=True)
class Row:
    """Panels under one heading."""

    title: str
    panels: tuple[Panel, ...]


def heading(title: str, number: int, y: int) -> Json:
    """A row's own panel."""
    place = {"h": 1, "w": COLUMNS, "x": 0, "y": y}
    return {"id": number, "type": "row", "title": title, "collapsed": False, "gridPos": place, "panels": []}


def panel(panel: Panel, number: int, x: int, y: int, height: int) -> Json:
    """One panel at its place."""
    source, silent = _SAID[panel.needs]
    instant = panel.shape in (Shape.STAT, Shape.TABLE)
    return {
        "id": number,
        "type": "timeseries" if panel.shape is Shape.STACKED else panel.shape.value,
        "title": panel.title,
        "description": " ".join([*_helps(panel.queries), f"Needs {source}.", *([panel.empty] if panel.empty else [])]),
        "datasource": DATASOURCE,
        "targets": [_target(query, index, panel, instant) for index, query in enumerate(panel.queries)],
        "fieldConfig": {"defaults": _defaults(panel, panel.empty or silent), "overrides": []},
        "options": _options(panel.shape),
        "links": _runbook(panel.runbook),
        "gridPos": {"h": height, "w": panel.width, "x": x, "y": y},
    }


def _helps(queries: Sequence[Query]) -> list[str]:
    return list(dict.fromkeys(query.help for query in queries))


def _target(query: Query, index: int, panel: Panel, instant: bool) -> Json:
    name = [panel.names[index]] if panel.names else []
    legend = " ".join([*(f"{{{{{label}}}}}" for label in KEPT), *name, query.legend]).strip()
    return {
        "refId": chr(ord("A") + index),
        "datasource": DATASOURCE,
        "expr": query.expr,
        "legendFormat": legend if query.by or panel.names else "__auto",
        "instant": instant,
        "range": not instant,
        "format": "table" if panel.shape is Shape.TABLE else "time_series",
        "editorMode": "code",
    }


def _defaults(panel: Panel, silent: str) -> Json:
    unit = panel.queries[0].unit
    defaults: Json = {"unit": _UNITS.get(unit, f"suffix: {unit}"), "noValue": silent, "min": 0}
    if unit == "ratio":
        defaults["max"] = 1
    if panel.shape in (Shape.LINES, Shape.STACKED):
        stacking = {"mode": "normal" if panel.shape is Shape.STACKED else "none", "group": "A"}
        fill = 40 if panel.shape is Shape.STACKED else 0
        # A gap is a gap: absent is not zero, and no line may say otherwise.
        defaults["custom"] = {"drawStyle": "line", "fillOpacity": fill, "stacking": stacking, "spanNulls": False}
    return defaults


def _options(shape: Shape) -> Json:
    match shape:
        case Shape.STAT:
            return {"reduceOptions": {"calcs": ["lastNotNull"], "fields": "", "values": False}, "textMode": "value_and_name"}
        case Shape.TABLE:
            return {"showHeader": True}
        case _:
            return {
                "legend": {"displayMode": "list", "placement": "bottom", "showLegend": True},
                "tooltip": {"mode": "multi", "sort": "desc"},
            }


def _runbook(alert: str) -> list[Json]:
    return [{"title": f"Runbook: {alert}", "url": f"${{runbooks}}/{alert}.md", "targetBlank": True}] if alert else []
