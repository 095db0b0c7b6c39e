"""The dashboards that are committed are those that the generator writes, and Grafana can import them."""

import ast
from pathlib import Path
from typing import Any

import pytest

from dashboard.grafana.__main__ import FOLDER, text, write
from dashboard.grafana.boards import BOARDS
from dashboard.grafana.document import Board, document
from stack.metrics.promql import KEPT
from tests.alerts.promql_names import names
from tests.alerts.promtool import ROOT

_GRAFANAS_OWN = {"title", "uid", "panels", "schemaVersion", "templating", "time", "version", "tags", "links", "annotations"}
_PANELS_OWN = {"id", "type", "title", "description", "datasource", "targets", "fieldConfig", "options", "gridPos", "links"}
_VARIABLES = ["datasource", "cluster", "namespace", "model", "pool", "replica", "runbooks"]
_TYPES = {"timeseries", "stat", "table"}


def _drawn(board: Board) -> list[dict[str, Any]]:
    return [panel for panel in document(board)["panels"] if panel["type"] != "row"]


@pytest.mark.parametrize("board", BOARDS, ids=lambda board: board.uid)
def test_the_committed_file_is_what_the_generator_writes(board: Board) -> None:
    assert (FOLDER / f"{board.uid}.json").read_text() == text(board), "run python -m dashboard.grafana"


def test_nothing_else_is_committed_beside_them(tmp_path: Path) -> None:
    assert sorted(path.name for path in write(tmp_path / "new")) == sorted(path.name for path in FOLDER.iterdir())


@pytest.mark.parametrize("board", BOARDS, ids=lambda board: board.uid)
def test_a_dashboard_has_what_grafanas_schema_asks_for(board: Board) -> None:
    made = document(board)
    assert made.keys() >= _GRAFANAS_OWN
    assert [variable["name"] for variable in made["templating"]["list"]] == _VARIABLES
    panels = made["panels"]
    assert [panel["id"] for panel in panels] == list(range(1, len(panels) + 1))
    for panel in _drawn(board):
        assert panel.keys() >= _PANELS_OWN, panel["title"]
        assert panel["type"] in _TYPES
        assert [target["refId"] for target in panel["targets"]] == list("ABCD"[: len(panel["targets"])])
        assert panel["description"]
        assert panel["fieldConfig"]["defaults"]["noValue"], panel["title"]


@pytest.mark.parametrize("board", BOARDS, ids=lambda board: board.uid)
def test_panels_lie_side_by_side_and_never_on_each_other(board: Board) -> None:
    taken: set[tuple[int, int]] = set()
    for panel in document(board)["panels"]:
        at = panel["gridPos"]
        cells = {(x, y) for x in range(at["x"], at["x"] + at["w"]) for y in range(at["y"], at["y"] + at["h"])}
        assert at["x"] + at["w"] <= 24
        assert not cells & taken, panel["title"]
        taken |= cells


@pytest.mark.parametrize("board", BOARDS, ids=lambda board: board.uid)
def test_every_selector_is_narrowed_by_cluster_and_namespace(board: Board) -> None:
    for panel in _drawn(board):
        for target in panel["targets"]:
            narrowed = [target["expr"].count(f'{label}=~"${label}"') for label in KEPT]
            assert narrowed[0] == narrowed[1] == target["expr"].count("{"), (panel["title"], target["expr"])


def test_every_runbook_that_a_panel_links_exists() -> None:
    linked = [link["url"] for board in BOARDS for panel in _drawn(board) for link in panel["links"]]
    missing = [url for url in linked if not (ROOT / "alerts" / url.replace("${runbooks}", "runbooks")).exists()]
    assert linked
    assert missing == []


def test_the_dashboards_that_a_native_fleet_needs_show_something_there() -> None:
    native = {
        board.uid
        for board in BOARDS
        for panel in _drawn(board)
        for target in panel["targets"]
        if any(name.startswith("vllm:") for name in names(target["expr"]))
    }
    assert native == {"kvdeck-fleet", "kvdeck-cache", "kvdeck-transfer", "kvdeck-engines"}


def test_the_generator_needs_neither_streamlit_nor_pandas() -> None:
    folder = ROOT / "dashboard" / "grafana"
    roots = {
        name.split(".")[0]
        for path in folder.glob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        for name in (
            [alias.name for alias in node.names]
            if isinstance(node, ast.Import)
            else [node.module or ""]
            if isinstance(node, ast.ImportFrom)
            else []
        )
    }
    assert roots <= {
        "__future__",
        "argparse",
        "collections",
        "dataclasses",
        "enum",
        "json",
        "pathlib",
        "typing",
        "dashboard",
        "stack",
    }
