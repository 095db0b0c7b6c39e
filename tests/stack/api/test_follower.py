"""Declarative mode: a file is the truth."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from stack.api.desired_file import DesiredFileError
from stack.api.follower import Follower
from stack.control.machinery import Phase
from stack.control.mode import Mode, Stance
from stack.control.state import Desired
from tests.stack.api.deck import Deck, deck
from tests.stack.control.samples import desired, model

STANCE = Stance(Mode.DECLARATIVE, "fleet.yaml")


@dataclass
class File:
    """What the file says: a state, or why it says none."""

    says: Desired | str

    def now(self) -> Desired:
        if isinstance(self.says, str):
            raise DesiredFileError(self.says)
        return self.says


@dataclass
class Followed:
    deck: Deck
    follower: Follower
    file: File

    async def look(self, says: Desired | str | None = None, seconds: float = 1) -> str | None:
        """Control looks at the file, which `says` something new; the drift it tells."""
        self.file.says = self.file.says if says is None else says
        self.deck.clock.advance(seconds)
        await self.follower.tick()
        drift = {entry["field"]: entry["reason"] for entry in (await self.deck.state())["drift"]}
        refused = drift.get("desired_file")
        text = (await self.deck.http.get("/metrics")).text
        assert f"kvdeck_control_desired_file_refused {float(refused is not None)}\n" in text
        return refused

    async def log(self) -> list[tuple[str, str, int]]:
        records = (await self.deck.http.get("/v1/audit")).json()["records"]
        return [(r["actor"], r["outcome"], r["generation"]) for r in reversed(records)]


@asynccontextmanager
async def following(folder: Path) -> AsyncIterator[Followed]:
    file = File(desired())
    async with deck(folder, stance=STANCE, declared=file.now) as it:
        assert it.control.follower is not None
        yield Followed(it, it.control.follower, file)


async def test_what_the_file_says_is_put_in_force_when_it_changes(tmp_path: Path) -> None:
    async with following(tmp_path) as it:
        assert await it.look() is None
        assert await it.look(Desired(models={"smollm2": model(strategy="session")})) is None
        assert await it.look() is None
        state = await it.deck.state()
        assert (state["generation"], state["desired"]["models"]["smollm2"]["strategy"]) == (2, "session")
        assert await it.log() == [("control", "started", 1), ("file", "applied", 2)]
        (record,) = (await it.deck.http.get("/v1/audit", params={"limit": "1"})).json()["records"]
        assert (record["comment"], record["diff"]) == (
            "fleet.yaml",
            [{"field": "models.smollm2.strategy", "before": "prefix_aware", "after": "session"}],
        )


async def test_a_file_that_is_not_understood_leaves_the_last_good_one_in_force_and_is_noted_once(tmp_path: Path) -> None:
    async with following(tmp_path) as it:
        for _ in range(3):
            assert await it.look("fleet.yaml has no 'desired:' section") == (
                "fleet.yaml has no 'desired:' section; generation 1 stays in force"
            )
        assert await it.log() == [("control", "started", 1), ("file", "invalid", 1)]
        assert await it.look(desired()) is None
        assert (await it.deck.state())["generation"] == 1


async def test_what_is_refused_is_tried_again_noted_once_and_told_with_its_field(tmp_path: Path) -> None:
    async with following(tmp_path) as it:
        wrong = Desired(models={"smollm2": model(prefill=0)})
        for _ in range(10):
            told = await it.look(wrong, seconds=20)
            assert told is not None
            assert told.startswith("fleet.yaml is refused: models.smollm2.pools.prefill.replicas: DPD needs a prefill engine")
            assert told.endswith("; generation 1 stays in force")
        assert await it.log() == [("control", "started", 1), ("file", "refused", 1)]
        assert await it.look(desired(decode=3)) is None
        assert (await it.deck.state())["generation"] == 2


async def test_what_a_rail_holds_up_is_put_in_force_once_it_may(tmp_path: Path) -> None:
    async with following(tmp_path) as it:
        assert await it.look(desired(decode=3)) is None
        await it.deck.tick()
        told = await it.look(desired(decode=4))
        assert told is not None
        assert told.startswith("fleet.yaml is refused: models.smollm2.pools.decode.replicas: ")
        for name, phase in it.deck.fleet.engines.items():
            assert phase in (Phase.RUNNING, Phase.STARTING)
            it.deck.fleet.engines[name] = Phase.RUNNING
        await it.deck.router().follow()
        await it.deck.tick()
        assert await it.look(seconds=60) is None
        assert (await it.deck.state())["desired"]["models"]["smollm2"]["pools"]["decode"]["replicas"] == 4
        assert [entry for entry in await it.log() if entry[0] == "file"] == [
            ("file", "applied", 2),
            ("file", "refused", 2),
            ("file", "applied", 3),
        ]


async def test_another_model_takes_a_restart(tmp_path: Path) -> None:
    async with following(tmp_path) as it:
        told = await it.look(Desired(models={"qwen": model()}))
        anew = "which models are served is settled when control starts: start it anew to change that"
        refused = f"models: it is for the models qwen; served are smollm2; {anew}"
        assert told == f"fleet.yaml is refused: {refused}; generation 1 stays in force"


async def test_what_cannot_be_kept_is_tried_again(tmp_path: Path) -> None:
    async with following(tmp_path) as it:
        async with deck(tmp_path) as other:  # a second control over the same folder takes the next generation
            await other.patch({"strategy": "session"})
        told = await it.look(desired(decode=3))
        assert told is not None
        assert "the change could not be kept" in told
        assert it.deck.control.board.generation == 1
