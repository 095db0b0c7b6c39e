from __future__ import annotations

from collections.abc import Iterable
from io import StringIO

import msgspec
import pytest
from rich.console import Console, RenderableType

from stack.api import tables
from stack.api.pool_views import PoolView
from stack.api.schema import Applied, ChangeView, Drift, EffectView, EngineView, RouterView, StateView
from stack.control.diff import Change
from stack.control.mode import Mode
from stack.fleet.engine import Health, State
from stack.model.tier import Pool
from tests.stack.control.samples import desired

ENGINE = EngineView(
    name="decode-0", model="smollm2", pool=Pool.DECODE, url=None, state=State.JOINING, health=Health.UNKNOWN, in_flight=None
)
STATE = StateView(
    generation=7,
    desired=desired(),
    applied=Applied(routers=(RouterView(id="router-0", generation=6, age_seconds=9.04, live=False),)),
    engines=(ENGINE,),
    drift=(Drift(field="applied.routers.router-0", reason="last heard of [red]9 s[/red] ago", since=0.0),),
)


def _text(parts: Iterable[RenderableType]) -> str:
    out = StringIO()
    console = Console(file=out, width=160)
    for part in parts:
        console.print(part)
    return out.getvalue()


def _cells(text: str, first: str) -> list[str]:
    line = next(line for line in text.splitlines() if line.strip("│ ").startswith(first))
    return [cell.strip() for cell in line.strip("│").split("│")]


def test_the_state_says_what_is_unknown() -> None:
    text = _text(tables.state(STATE))
    assert text.startswith("generation 7, live\n")
    assert _cells(text, "smollm2") == ["smollm2", "prefix_aware", "prefix_aware", "from 512 tokens", "1", "2", "no limit"]
    assert _cells(text, "decode-0") == ["decode-0", "decode", "joining", "unknown", "?", "?", "-", ""]
    assert _cells(text, "router-0") == ["router-0", "6", "9.0 s ago, not waited for"]


@pytest.mark.parametrize(
    ("mode", "file", "said"),
    [
        (Mode.OBSERVE, None, "generation 7, observe: nothing is changed\n"),
        (Mode.DECLARATIVE, "fleet.yaml", "generation 7, declarative: fleet.yaml says what is desired\n"),
    ],
)
def test_the_state_says_who_may_change_it(mode: Mode, file: str | None, said: str) -> None:
    assert _text(tables.state(msgspec.structs.replace(STATE, mode=mode, desired_file=file))).startswith(said)


def test_what_others_wrote_is_no_markup() -> None:
    assert _cells(_text(tables.drift(STATE)), "applied")[1] == "last heard of [red]9 s[/red] ago"


def test_a_change_says_how_far_it_got() -> None:
    view = ChangeView(
        generation=8,
        desired=desired(),
        applied=Applied(),
        dry_run=False,
        proposed=desired(),
        diff=(Change(field="models.smollm2.pools.decode.strategy", before=None, after="session"),),
        effects=(EffectView(kind="switch_strategy", sentence="From now on.", model="smollm2"),),
        pending=("router-1",),
    )
    text = _text(tables.change(view))
    assert _cells(text, "models") == ["models.smollm2.pools.decode.strategy", "null", "session"]
    assert text.splitlines()[-3:] == [
        "- From now on.",
        "generation 8 is in force; not yet acknowledged by router-1",
        "what it comes to: kvdeck ctl report 8",
    ]


def test_a_list_without_anything_in_it_is_none() -> None:
    drained = Change(field="models.smollm2.pools.decode.drained", before="", after="decode-0")
    view = ChangeView(generation=8, desired=desired(), applied=Applied(), dry_run=True, proposed=desired(), diff=(drained,))
    assert _cells(_text(tables.change(view)), "models") == ["models.smollm2.pools.decode.drained", "none", "decode-0"]


def test_what_runs_a_pool_is_shown_with_why_it_is_left_alone() -> None:
    pool = PoolView(model="smollm2", pool=Pool.DECODE, workload="Deployment decode", replicas=3, hold="a chart sets it")
    text = _text(tables.state(msgspec.structs.replace(STATE, pools=(pool,))))
    line = next(line for line in text.splitlines() if "Deployment decode" in line)
    assert [cell.strip() for cell in line.strip("│").split("│")] == [
        "smollm2", "decode", "Deployment decode", "3", "a chart sets it",
    ]  # fmt: skip
