from __future__ import annotations

import msgspec
import pytest

from stack.control.audit import AuditRecord, Outcome
from stack.control.decide import Decision, decide
from stack.control.diff import Change
from stack.control.drained import DrainEngines, Drainer, ReturnEngines, drained, drainers, turned
from stack.control.drift import drift
from stack.control.leaving import leavers
from stack.control.members import Member
from stack.control.reconcile import Mark, reconcile
from stack.control.refusal import RefusedError
from stack.control.scaling import ShrinkPool
from stack.control.state import Desired
from stack.fleet.engine import State
from stack.model.tier import Pool
from tests.stack.control.samples import FLEET, STRATEGIES, desired, member, model

FIELD = "models.smollm2.pools.decode.drained"


def _decide(names: list[str], before: Desired | None = None, fleet: tuple[Member, ...] = FLEET, pool: str = "decode") -> Decision:
    return decide({"pools": {pool: {"drained": names}}}, before or desired(), fleet, STRATEGIES)


def _refusal(names: list[str], fleet: tuple[Member, ...] = FLEET) -> tuple[str, str]:
    with pytest.raises(RefusedError) as refused:
        _decide(names, fleet=fleet)
    return refused.value.field, refused.value.message


def _out(*names: str) -> Desired:
    return _decide(list(names)).desired


def test_an_engine_goes_out_of_rotation_and_comes_back() -> None:
    out = _decide(["decode-1"])
    assert out.effects == (DrainEngines("smollm2", Pool.DECODE, ("decode-1",)),)
    assert out.effects[0].sentence == ("Out of rotation: decode-1. No new requests; those in flight finish, and nothing is ended.")
    assert out.diff == (Change(field=FIELD, before="", after="decode-1"),)
    back = _decide([], out.desired)
    assert back.effects == (ReturnEngines("smollm2", Pool.DECODE, ("decode-1",)),)
    assert back.effects[0].sentence == "Back in rotation: decode-1."
    assert back.desired == desired()


def test_names_are_kept_once_and_in_order() -> None:
    three = (*FLEET, member("decode-2"))
    out = _decide(["decode-2", "decode-1", "decode-2"], desired(decode=3), three).desired
    assert out.models["smollm2"].pools.decode.drained == ("decode-1", "decode-2")
    assert drained(out) == {"decode-1", "decode-2"}


def test_a_ready_decode_engine_stays_in_rotation() -> None:
    words = "out of rotation 0 of 2 decode engines would be ready: keep one, or add one first"
    assert _refusal(["decode-0", "decode-1"]) == (FIELD, f"with decode-0, decode-1 {words}")
    one_down = (FLEET[0], FLEET[1], member("decode-1", State.DOWN))
    assert _refusal(["decode-0"], one_down) == (FIELD, f"with decode-0 {words}")
    with pytest.raises(RefusedError):  # the one that is left would be ended by the same change
        decide({"pools": {"decode": {"drained": ["decode-0"], "replicas": 1}}}, desired(), (FLEET[0], FLEET[1]), STRATEGIES)


def test_an_engine_that_is_not_there_cannot_be_drained() -> None:
    assert _refusal(["decode-7"]) == (FIELD, "no decode engine 'decode-7'; there are: decode-0, decode-1")
    assert _refusal(["prefill-0"]) == (FIELD, "no decode engine 'prefill-0'; there are: decode-0, decode-1")
    assert _refusal(["a b"])[0] == f"{FIELD}[0]"


def test_an_engine_that_is_gone_stays_named_and_is_told() -> None:
    out = _out("decode-1")
    gone = FLEET[:2]
    assert drift(out, turned(gone, drained(out))) == {
        FIELD: "no such engine: decode-1",
        "models.smollm2.pools.decode.replicas": "1 of 2 ready",
    }
    assert _decide([], out, gone).desired == desired()


def test_the_last_prefill_engine_may_go_out_and_the_preview_says_what_that_means() -> None:
    (effect,) = _decide(["prefill-0"], pool="prefill").effects
    assert effect.sentence == (
        "Out of rotation: prefill-0. No new requests; those in flight finish, and nothing is ended. "
        "No prefill engine is left: long prompts go straight to a decode engine."
    )
    off = Desired(models={"smollm2": model(dpd=False)})
    assert _decide(["prefill-0"], off, pool="prefill").effects == (DrainEngines("smollm2", Pool.PREFILL, ("prefill-0",)),)


def test_a_drained_engine_counts_and_is_as_desired() -> None:
    out = _out("decode-1")
    there = turned(FLEET, drained(out))
    assert [engine.state for engine in there] == [State.READY, State.READY, State.DRAINED]
    assert drift(out, there) == {}
    assert reconcile(out, there, {}, 100.0) == ()
    assert turned(there, ()) == FLEET


def test_one_that_is_down_is_told_as_down() -> None:
    down = (*FLEET[:2], member("decode-1", State.DOWN))
    assert turned(down, {"decode-1"}) == down


def test_drained_engines_are_the_first_to_leave() -> None:
    out = _out("decode-0")
    smaller = decide({"pools": {"decode": {"replicas": 1}}}, out, FLEET, STRATEGIES)
    assert smaller.effects == (ShrinkPool("smollm2", Pool.DECODE, 1, ("decode-0",)),)
    there = turned(FLEET, drained(smaller.desired))
    assert reconcile(smaller.desired, there, {}, 100.0) == (Mark("decode-0"),)
    assert leavers(there[1:], 1) == (there[1],)


def test_the_audit_log_tells_who_drained_it_last() -> None:
    def record(at: float, actor: str, before: str, after: str) -> AuditRecord:
        diff = (Change(field=FIELD, before=before, after=after),)
        return AuditRecord(at=at, actor=actor, outcome=Outcome.APPLIED, generation=int(at), diff=diff)

    newest_first = [
        record(5, "eve", "decode-1", "decode-1, decode-2"),
        record(4, "dan", "", "decode-1"),
        record(3, "carl", "decode-1", ""),
        record(2, "bob", "", "decode-1"),
    ]
    assert drainers({"decode-1", "decode-2", "decode-3"}, newest_first) == {
        "decode-1": Drainer("dan", 4),
        "decode-2": Drainer("eve", 5),
    }


def test_documents_without_the_field_are_read() -> None:
    old = b'{"models":{"smollm2":{"pools":{"decode":{"replicas":2}}}}}'
    assert msgspec.json.decode(old, type=Desired).models["smollm2"].pools.decode.drained == ()
