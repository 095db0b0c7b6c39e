"""Engines that an operator drains, over a fake fleet."""

from __future__ import annotations

from pathlib import Path

from tests.stack.api.deck import deck, running


async def test_an_operator_drains_an_engine_and_takes_it_back(tmp_path: Path) -> None:
    async with deck(tmp_path) as it:
        router = it.router()
        await router.follow()
        answer = await it.patch({"pools": {"decode": {"drained": ["decode-1"]}}})
        assert [effect["engines"] for effect in answer.json()["effects"]] == [["decode-1"]]
        at = it.clock.wall()
        await router.follow()
        await it.tick(400)
        await router.follow()
        assert it.control.board.config().draining == ("decode-1",)
        assert it.fleet.removed == []
        state = await it.state()
        out = next(engine for engine in state["engines"] if engine["name"] == "decode-1")
        assert (out["state"], out["drained"]) == ("drained", {"by": "anonymous", "since": at})
        assert state["drift"] == []
        await it.patch({"pools": {"decode": {"drained": []}}})
        await router.follow()
        assert it.control.board.config().draining == ()
        assert {engine["state"] for engine in (await it.state())["engines"]} == {"ready"}


async def test_who_drained_is_known_after_a_restart(tmp_path: Path) -> None:
    fleet = running("prefill-0", "decode-0", "decode-1")
    async with deck(tmp_path, fleet) as it:
        await it.router().follow()
        await it.patch({"pools": {"decode": {"drained": ["decode-1"]}}})
        drained = [engine["drained"] for engine in (await it.state())["engines"]]
    async with deck(tmp_path, fleet) as again:
        assert again.control.board.config().draining == ("decode-1",)
        await again.router().follow()
        assert [engine["drained"] for engine in (await again.state())["engines"]] == drained


async def test_a_drained_engine_that_leaves_is_told_as_leaving(tmp_path: Path) -> None:
    async with deck(tmp_path) as it:
        router = it.router()
        await router.follow()
        await it.patch({"pools": {"decode": {"drained": ["decode-0"]}}})
        await it.patch({"pools": {"decode": {"replicas": 1}}})
        await it.tick()
        told = {engine["name"]: (engine["state"], engine["drained"]) for engine in (await it.state())["engines"]}
        assert told == {"decode-0": ("draining", None), "decode-1": ("ready", None), "prefill-0": ("ready", None)}
