"""A dashboard's document around its rows: variables, links between dashboards, places of panels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dashboard.grafana.shapes import COLUMNS, DATASOURCE, Json, Row, heading, panel
from stack.engines.vllm_quantities import RUNNING
from stack.metrics import catalog
from stack.metrics.family import Label
from stack.metrics.promql import Pattern, Where

SCHEMA = 39
"""Grafana 10.4's; later ones migrate it on load."""

FLEET: Where = {Label.CLUSTER: Pattern("$cluster"), Label.NAMESPACE: Pattern("$namespace")}
MODEL: Where = {**FLEET, Label.MODEL_NAME: Pattern("$model")}
POOL: Where = {**MODEL, Label.POOL: Pattern("$pool")}
ENGINE: Where = {**POOL, Label.REPLICA: Pattern("$replica")}
TIER: Where = {**FLEET, Label.REPLICA: Pattern("$replica")}
WINDOW = "$__rate_interval"

_TAG = "kvdeck"
_HEIGHT = 8
# Who says which engines there are: the exporter, else the engines.
_ENGINES = f'{{__name__=~"{catalog.TARGET_INFO.name}|{RUNNING.aliases[0].name}",'


@dataclass(frozen=True, slots=True)
class Board:
    """One dashboard; `uid` never changes, since links and bookmarks name it."""

    uid: str
    title: str
    description: str
    rows: tuple[Row, ...]


def document(board: Board) -> Json:
    """The dashboard as Grafana imports it."""
    return {
        "uid": board.uid,
        "title": board.title,
        "description": board.description,
        "tags": [_TAG],
        "schemaVersion": SCHEMA,
        "version": 1,
        "editable": True,
        "graphTooltip": 1,
        "timezone": "",
        "refresh": "30s",
        "time": {"from": "now-1h", "to": "now"},
        "timepicker": {},
        "fiscalYearStartMonth": 0,
        "liveNow": False,
        "annotations": {"list": [_alerts()]},
        "links": [_others()],
        "templating": {"list": _variables()},
        "panels": _panels(board.rows),
    }


def _panels(rows: Sequence[Row]) -> list[Json]:
    found: list[Json] = []
    y = 0
    for row in rows:
        found.append(heading(row.title, len(found) + 1, y))
        y, x = y + 1, 0
        for each in row.panels:
            if x + each.width > COLUMNS:
                x, y = 0, y + _HEIGHT
            found.append(panel(each, len(found) + 1, x, y, _HEIGHT))
            x += each.width
        y += _HEIGHT
    return found


def _variables() -> list[Json]:
    fleet = 'cluster=~"$cluster",namespace=~"$namespace"'
    return [
        {"name": "datasource", "label": "Prometheus", "type": "datasource", "query": "prometheus", "hide": 0, "refresh": 1},
        _values("cluster", "label_values(up, cluster)"),
        _values("namespace", 'label_values(up{cluster=~"$cluster"}, namespace)'),
        _values("model", f"label_values({_ENGINES}{fleet}}}, model_name)"),
        _values("pool", f'label_values({_ENGINES}{fleet},model_name=~"$model"}}, pool)'),
        _values("replica", f'label_values({_ENGINES}{fleet},model_name=~"$model",pool=~"$pool"}}, replica)'),
        {
            "name": "runbooks",
            "label": "Runbooks at",
            "type": "textbox",
            "query": "/runbooks",
            "current": {"text": "/runbooks", "value": "/runbooks"},
            "hide": 2,
        },
    ]


def _values(name: str, query: str) -> Json:
    """All of them is `.*`, which series without the label match, too."""
    return {
        "name": name,
        "label": name.capitalize(),
        "type": "query",
        "datasource": DATASOURCE,
        "query": {"query": query, "refId": name},
        "definition": query,
        "multi": True,
        "includeAll": True,
        "allValue": ".*",
        "current": {"text": ["All"], "value": ["$__all"]},
        "refresh": 2,
        "sort": 1,
        "hide": 0,
    }


def _others() -> Json:
    return {
        "title": "kvdeck",
        "type": "dashboards",
        "tags": [_TAG],
        "asDropdown": True,
        "includeVars": True,
        "keepTime": True,
        "targetBlank": False,
        "icon": "external link",
        "url": "",
    }


def _alerts() -> Json:
    return {
        "name": "Alerts that fire",
        "datasource": DATASOURCE,
        "enable": True,
        "hide": False,
        "iconColor": "red",
        "expr": 'ALERTS{alertname=~"Kvdeck.+",alertstate="firing",cluster=~"$cluster",namespace=~"$namespace"}',
        "step": "60s",
        "titleFormat": "{{alertname}}",
        "textFormat": "{{severity}}",
    }
