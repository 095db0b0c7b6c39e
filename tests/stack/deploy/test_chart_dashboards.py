"""Grafana's sidecar gets every dashboard, changed only where the values say so."""

import json
from typing import Any

from stack.deploy.copies import CHART
from tests.stack.deploy.chart import Json, manifests

_SOURCE = {path.name: json.loads(path.read_text()) for path in sorted((CHART / "dashboards").glob("*.json"))}


def _boards(values: dict[str, Any] | None = None) -> dict[str, Json]:
    maps = [each for each in manifests(values, "ConfigMap") if each["metadata"]["labels"].get("grafana_dashboard") == "1"]
    return {name: json.loads(text) for each in maps for name, text in each["data"].items()}


def _variable(board: Json, name: str) -> Json:
    (found,) = [each for each in board["templating"]["list"] if each["name"] == name]
    return dict(found)


def test_every_dashboard_is_there_as_it_was_generated() -> None:
    assert _boards() == _SOURCE


def test_the_sidecar_is_told_the_folder() -> None:
    maps = manifests({"grafana": {"folder": "Inference"}}, "ConfigMap")
    assert {each["metadata"]["annotations"]["grafana_folder"] for each in maps} == {"Inference"}


def test_dashboards_open_with_the_named_source_and_link_the_runbooks() -> None:
    values = {"grafana": {"datasource": "Mimir"}, "prometheusRule": {"runbookBaseUrl": "https://git.example/alerts"}}
    for board in _boards(values).values():
        assert _variable(board, "datasource")["current"] == {"text": "Mimir", "value": "Mimir"}
        assert _variable(board, "runbooks")["query"] == "https://git.example/alerts/runbooks"
