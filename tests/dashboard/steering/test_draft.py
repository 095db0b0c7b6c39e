"""A change that somebody is writing."""

import msgspec

from dashboard.steering.draft import Draft
from stack.control.state import ModelState, PoolState
from tests.stack.control.samples import model

NOW = model()


def edited(draft: Draft, **fields: object) -> Draft:
    return Draft(draft.generation, draft.basis, msgspec.structs.replace(draft.edited, **fields), draft.serial)


def with_decode(state: ModelState, decode: PoolState) -> ModelState:
    return msgspec.structs.replace(state, pools=msgspec.structs.replace(state.pools, decode=decode))


def test_a_fresh_draft_changes_nothing() -> None:
    assert Draft.of(1, NOW, 1).patch == {}


def test_the_patch_holds_only_what_differs() -> None:
    pools = with_decode(NOW, PoolState(replicas=3)).pools
    assert edited(Draft.of(1, NOW, 1), strategy="session", pools=pools).patch == {
        "strategy": "session",
        "pools": {"decode": {"replicas": 3}},
    }


def test_inheriting_again_is_a_null() -> None:
    own = with_decode(NOW, PoolState(replicas=2, strategy="session"))
    assert edited(Draft.of(1, own, 1), pools=NOW.pools).patch == {"pools": {"decode": {"strategy": None}}}


def test_edits_are_carried_onto_what_somebody_else_changed() -> None:
    draft = edited(Draft.of(1, NOW, 1), strategy="session")
    theirs = with_decode(NOW, PoolState(replicas=3))
    assert draft.onto(2, theirs, 7) == Draft(2, theirs, msgspec.structs.replace(theirs, strategy="session"), 7)


def test_a_change_elsewhere_leaves_the_form_alone() -> None:
    draft = edited(Draft.of(1, NOW, 1), strategy="session")
    assert draft.onto(2, NOW, 7) == Draft(2, NOW, draft.edited, 1)
