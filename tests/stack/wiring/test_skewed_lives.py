"""Control is upgraded and rolled back while requests run: nothing of the state is lost, and no request fails."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec

from stack.adapters.audit_store import FILE
from stack.control.skew import received
from stack.control.state import SCHEMA
from tests.stack.api.deck import Clock, Deck, deck, running
from tests.stack.control.samples import desired
from tests.stack.router.bench import RouterBench, fleet
from tests.stack.router.fakes import MODEL, FakeEngine

FLEET = desired(prefill=1, decode=2)


async def test_upgrade_and_rollback_of_control_under_load_lose_nothing(tmp_path: Path) -> None:
    clock = Clock()
    async with fleet(tmp_path, FakeEngine("decode-0"), FakeEngine("decode-1")) as bench, _load(bench) as statuses:
        async with _life(tmp_path, clock) as before:
            await before.patch({"strategy": "kv_aware", "dpd": {"enabled": False}})
            await _follow(bench, before)
        assert _read(tmp_path)["models"][MODEL]["strategy"] == "kv_aware"
        _upgraded(tmp_path, generation=3)
        clock.advance(1)
        async with _life(tmp_path, clock) as rolled_back:
            told = await rolled_back.state()
            assert (told["generation"], told["desired"]["models"][MODEL]["strategy"]) == (3, "kv_aware")
            drift = {entry["field"]: entry["reason"] for entry in told["drift"]}
            assert drift[f"models.{MODEL}.tint"] == "of a newer release (schema 2): kept for it, without effect here"
            await _follow(bench, rolled_back)
            assert (await rolled_back.patch({"strategy": "round_robin"})).status_code == 200
            await _follow(bench, rolled_back)
        kept = _read(tmp_path)
    assert (kept["schema"], kept["models"][MODEL]["tint"], kept["models"][MODEL]["strategy"]) == (SCHEMA + 1, "blue", "round_robin")
    assert bench.router.configuration.current.generation == 4
    assert len(statuses) > 10
    assert set(statuses) == {200}


async def test_a_router_follows_a_newer_control_and_an_older_one_under_load(tmp_path: Path) -> None:
    async with fleet(tmp_path, FakeEngine("decode-0"), FakeEngine("decode-1")) as bench, _load(bench) as statuses:
        whole = msgspec.to_builtins(FLEET.models[MODEL])
        newer = {"schema": SCHEMA + 1, "weather": [1], "models": {MODEL: whole | {"tint": {"a": 1}, "strategy": "kv_aware"}}}
        older = {"models": {MODEL: {"strategy": "round_robin"}}}
        for generation in range(1, 21):
            document = {"version": generation, "generation": generation} | (newer if generation % 2 else older)
            bench.router.configuration.apply(received(msgspec.json.encode(document)).config)
            await bench.chat("between two configurations")
    assert bench.router.configuration.current.generation == 20
    assert set(statuses) == {200}


@asynccontextmanager
async def _load(bench: RouterBench) -> AsyncIterator[list[int]]:
    """Eight clients ask as long as the context lasts; what they are answered."""
    statuses: list[int] = []
    ending = asyncio.Event()

    async def ask() -> None:
        while not ending.is_set():
            statuses.append((await bench.chat()).status_code)

    async with asyncio.TaskGroup() as clients:
        for _ in range(8):
            clients.create_task(ask())
        try:
            yield statuses
        finally:
            ending.set()


@asynccontextmanager
async def _life(folder: Path, clock: Clock) -> AsyncIterator[Deck]:
    engines = running("prefill-0", "decode-0", "decode-1")
    async with deck(folder, engines, FLEET, clock) as it:
        yield it


async def _follow(bench: RouterBench, it: Deck) -> None:
    answer = await it.http.get("/v1/routers/router-0/config", params={"version": -1})
    bench.router.configuration.apply(received(answer.content).config)
    assert bench.router.configuration.current.generation == it.control.board.generation


def _upgraded(folder: Path, generation: int) -> None:
    """A newer release runs for a while, and changes something that this one does not have."""
    document = _read(folder) | {"schema": SCHEMA + 1}
    document["models"][MODEL]["tint"] = "blue"
    with sqlite3.connect(folder / FILE) as db:
        db.execute(
            "INSERT INTO state (generation, at, desired) VALUES (?, 1.0, ?)", (generation, msgspec.json.encode(document).decode())
        )
    db.close()


def _read(folder: Path) -> Any:
    db = sqlite3.connect(folder / FILE)
    (text,) = db.execute("SELECT desired FROM state ORDER BY generation DESC LIMIT 1").fetchone()
    db.close()
    return msgspec.json.decode(text)
