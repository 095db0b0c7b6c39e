"""A document elsewhere judges changes and follows what is desired; every step of that is told."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from stack.control.counterpart import ChangeElsewhere, Followed
from stack.control.mode import Mode, Stance
from stack.control.refusal import RefusedError
from stack.control.state import Desired
from tests.stack.api.deck import Deck, deck


@dataclass
class Elsewhere:
    """Refuses what it is told to refuse; `followed` is what comes of following."""

    refuses: str | None = None
    followed: Followed = field(default_factory=Followed)
    asked: int = 0

    async def check(self, before: Desired, after: Desired) -> tuple[ChangeElsewhere, ...]:
        if self.refuses is not None:
            raise RefusedError("models.smollm2.strategy", self.refuses)
        return (ChangeElsewhere("smollm2", "the paper", "a.b", "x", "y", "nobody checked"),)

    async def follow(self, desired: Desired) -> Followed:
        self.asked += 1
        return self.followed


CHANGE = {"strategy": "session"}


async def mirrored(it: Deck) -> None:
    assert it.control.mirror is not None
    await it.control.mirror.tick()


async def records(it: Deck) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = (await it.http.get("/v1/audit")).json()["records"]
    return found


async def test_what_a_change_does_elsewhere_is_among_its_effects_and_in_the_audit_log(tmp_path: Path) -> None:
    async with deck(tmp_path, counterpart=Elsewhere()) as it:
        preview, change = await it.patch(CHANGE, dry_run="true"), await it.patch(CHANGE)
        sentence = "a.b of the paper is patched from x to y; nobody checked."
        assert preview.json()["effects"] == change.json()["effects"]
        assert change.json()["effects"][-1]["sentence"] == (await records(it))[0]["effects"][-1] == sentence


async def test_what_is_refused_elsewhere_is_refused_and_leaves_the_generation_alone(tmp_path: Path) -> None:
    async with deck(tmp_path, counterpart=Elsewhere("not an enum")) as it:
        for params in ({"dry_run": "true"}, {}):
            answer = await it.patch(CHANGE, **params)
            assert (answer.status_code, answer.json()["error"]) == (
                422, {"code": "refused", "message": "not an enum", "field": "models.smollm2.strategy"},
            )  # fmt: skip
        assert (await it.state())["generation"] == 1


async def test_steps_and_the_beginning_of_failures_are_noted_and_what_does_not_follow_is_drift(tmp_path: Path) -> None:
    elsewhere = Elsewhere(followed=Followed(("a.b set to y",), {"models.smollm2.strategy": "no right to"}))
    async with deck(tmp_path, counterpart=elsewhere) as it:
        await mirrored(it)
        elsewhere.followed = Followed((), elsewhere.followed.drift)
        await mirrored(it)
        drift = {one["field"]: one["reason"] for one in (await it.state())["drift"]}
        assert drift["models.smollm2.strategy"] == "no right to"
        told = [(one["outcome"], one.get("comment"), one.get("error")) for one in await records(it)]
        assert told[:2] == [("failed", None, "no right to"), ("step", "a.b set to y", None)]
        elsewhere.followed = Followed()
        await mirrored(it)
        assert "models.smollm2.strategy" not in {one["field"] for one in (await it.state())["drift"]}


async def test_who_only_observes_follows_nothing(tmp_path: Path) -> None:
    elsewhere = Elsewhere()
    async with deck(tmp_path, counterpart=elsewhere, stance=Stance(Mode.OBSERVE)) as it:
        await mirrored(it)
        assert elsewhere.asked == 0
