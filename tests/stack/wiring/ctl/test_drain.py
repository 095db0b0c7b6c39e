"""`kvdeck ctl drain`: which change of the document it asks for."""

from __future__ import annotations

import msgspec
import pytest

from stack.api.assignments import AssignmentError
from stack.api.schema import DrainedView, EngineView, StateView
from stack.control.decide import decide
from stack.control.mode import Mode
from stack.fleet.engine import Health, State
from stack.model.tier import Pool
from stack.wiring.ctl.drain import drained
from tests.stack.control.samples import FLEET, STRATEGIES, desired
from tests.stack.wiring.ctl.stand import STATE, control, refusal, run

OUT = decide({"pools": {"decode": {"drained": ["decode-1"]}}}, desired(), FLEET, STRATEGIES).desired


def _engine(name: str, state: State = State.READY) -> EngineView:
    out = DrainedView(by="ann", since=0.0) if state is State.DRAINED else None
    pool = Pool(name.rpartition("-")[0])
    return EngineView(
        name=name, model="smollm2", pool=pool, url=None, state=state, health=Health.READY, in_flight=0, detail="slow", drained=out
    )


FULL = msgspec.structs.replace(STATE, desired=OUT, engines=(
    _engine("decode-0"), _engine("decode-1", State.DRAINED), _engine("prefill-0")))  # fmt: skip


def _patch(state: StateView, *engines: str, undo: bool = False) -> object:
    models = drained(state, engines, undo=undo)["models"]
    assert isinstance(models, dict)
    return models["smollm2"]


def test_those_that_are_out_stay_out() -> None:
    assert _patch(FULL, "decode-0") == {"pools": {"decode": {"drained": ["decode-0", "decode-1"]}}}
    assert _patch(FULL, "decode-1") == {"pools": {"decode": {"drained": ["decode-1"]}}}
    assert _patch(FULL, "decode-0", "prefill-0") == {
        "pools": {"prefill": {"drained": ["prefill-0"]}, "decode": {"drained": ["decode-0", "decode-1"]}}
    }


def test_undo_gives_back_the_named_alone_also_when_they_are_gone() -> None:
    assert _patch(FULL, "decode-1", undo=True) == {"pools": {"decode": {"drained": []}}}
    gone = msgspec.structs.replace(FULL, engines=FULL.engines[:1])
    assert _patch(gone, "decode-1", undo=True) == {"pools": {"decode": {"drained": []}}}


def test_a_name_that_no_engine_has_says_which_there_are() -> None:
    with pytest.raises(AssignmentError, match="no engine 'decode-9'; there are: decode-0, decode-1, prefill-0"):
        drained(FULL, ["decode-9"], undo=False)


def test_the_command_changes_the_state_it_read() -> None:
    with control() as server:
        server.reads["/v1/state"] = FULL
        done = run(server, "drain", "decode-0", "--comment", "fan broken", "--dry-run")
        assert run(server, "drain", "decode-9").exit_code == 2
        assert "drained by ann since 1970-01-01" in run(server, "get").output
    ((path, generation, patch),) = server.patches
    assert (path, generation) == ("/v1/state?dry_run=true&comment=fan+broken", '"7"')
    assert patch == {"models": {"smollm2": {"pools": {"decode": {"drained": ["decode-0", "decode-1"]}}}}}
    assert done.exit_code == 0


def test_where_a_file_says_what_is_desired_a_refusal_names_its_lines() -> None:
    with control(403, refusal("mode")) as server:
        server.reads["/v1/state"] = msgspec.structs.replace(FULL, mode=Mode.DECLARATIVE, desired_file="fleet.yaml")
        done = run(server, "drain", "decode-0")
    lines = "desired:\n  models:\n    smollm2:\n      pools:\n        decode:\n          drained:\n"
    named = "          - decode-0\n          - decode-1\n"
    assert (done.exit_code, done.output.partition("In fleet.yaml this change is:\n")[2]) == (4, lines + named)
