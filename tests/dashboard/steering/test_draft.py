"""A change that somebody is writing."""

from __future__ import annotations

from typing import Any

import msgspec

from dashboard.steering.draft import Draft, part, patched
from stack.control.state import Desired
from tests.stack.control.samples import desired

NOW = desired()
MODEL = "smollm2"


def fresh(now: Desired = NOW) -> Draft:
    return Draft.of(1, now, MODEL, 1)


def edited(draft: Draft, **fields: Any) -> Draft:
    return draft.with_({"models": {MODEL: fields}}, draft.serial)


def changed(now: Desired = NOW, **fields: Any) -> Desired:
    return patched(now, {"models": {MODEL: fields}})


def test_a_fresh_draft_changes_nothing() -> None:
    assert fresh().patch == {}


def test_the_patch_holds_only_what_differs() -> None:
    draft = edited(fresh(), strategy="session", pools={"decode": {"replicas": 3}})
    assert draft.patch == {"models": {MODEL: {"strategy": "session", "pools": {"decode": {"replicas": 3}}}}}


def test_inheriting_again_is_a_null() -> None:
    own = changed(pools={"decode": {"strategy": "session"}})
    draft = edited(fresh(own), pools={"decode": {"strategy": None}})
    assert draft.patch == {"models": {MODEL: {"pools": {"decode": {"strategy": None}}}}}


def test_a_parameter_that_is_told_no_more_is_a_null() -> None:
    own = changed(pools={"decode": {"parameters": {"session": {"load_factor": 2.0}}}})
    draft = edited(fresh(own), pools={"decode": {"parameters": {"session": {"load_factor": None}}}})
    assert draft.patch == {"models": {MODEL: {"pools": {"decode": {"parameters": {"session": {"load_factor": None}}}}}}}


def test_the_tiers_of_all_models_are_edited_along() -> None:
    draft = fresh().with_({"tiers": {"l1": {"bytes": 1 << 30}}}, 1)
    assert draft.patch == {"tiers": {"l1": {"bytes": 1 << 30}}}


def test_edits_are_carried_onto_what_somebody_else_changed() -> None:
    draft = edited(fresh(), strategy="session")
    theirs = changed(pools={"decode": {"replicas": 3}})
    assert draft.onto(2, theirs, 7) == Draft(2, part(theirs, MODEL), part(changed(theirs, strategy="session"), MODEL), 7)


def test_a_change_elsewhere_leaves_the_form_alone() -> None:
    draft = edited(fresh(), strategy="session")
    others = msgspec.structs.replace(NOW, models={**NOW.models, "other": NOW.models[MODEL]})
    assert draft.onto(2, others, 7) == Draft(2, part(NOW, MODEL), draft.edited, 1)
