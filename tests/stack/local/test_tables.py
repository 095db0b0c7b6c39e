import json

from rich.console import Console

from stack.adapters.supervisor_link import Component, ComponentState
from stack.local.tables import doors_table, status_json, status_table

COMPONENTS = (
    Component(name="supervisor", kind="supervisor", url=None, pid=7, state=ComponentState.READY),
    Component(name="router", kind="router", url="http://127.0.0.1:8000", pid=None, state=ComponentState.FAILED, detail="[x]"),
)


def printed(table: object) -> list[str]:
    console = Console(width=120)
    with console.capture() as captured:
        console.print(table)
    return [line.rstrip() for line in captured.get().splitlines()]


def test_the_json_has_exactly_these_keys() -> None:
    assert json.loads(status_json(COMPONENTS)) == {
        "components": [
            {"name": "supervisor", "kind": "supervisor", "url": None, "pid": 7, "state": "ready", "detail": ""},
            {
                "name": "router",
                "kind": "router",
                "url": "http://127.0.0.1:8000",
                "pid": None,
                "state": "failed",
                "detail": "[x]",
            },
        ]
    }


def test_the_table_shows_a_line_a_component() -> None:
    assert printed(status_table(COMPONENTS)) == [
        "name        state   pid  url                    detail",
        "supervisor  ready   7",
        "router      failed       http://127.0.0.1:8000  [x]",
    ]


def test_the_doors_are_those_that_are_there() -> None:
    assert printed(doors_table(COMPONENTS)) == ["router  http://127.0.0.1:8000  OpenAI API, at /v1"]
