"""Pools grow and shrink over a fake fleet, routers and all."""

from __future__ import annotations

from pathlib import Path

from stack.control.machinery import Machinery, Phase
from stack.control.room import Amount, Room
from stack.model.tier import Pool
from tests.stack.api.deck import Deck, Router, deck, running


async def _states(it: Deck) -> dict[str, str]:
    return {engine["name"]: engine["state"] for engine in (await it.state())["engines"]}


async def _drift(it: Deck) -> dict[str, str]:
    return {entry["field"]: entry["reason"] for entry in (await it.state())["drift"]}


async def _scale(it: Deck, router: Router, decode: int) -> None:
    answer = await it.patch({"pools": {"decode": {"replicas": decode}}})
    assert answer.status_code in (200, 202)
    await it.tick()
    await router.follow()


async def test_a_pool_grows_and_shrinks_without_losing_a_request(tmp_path: Path) -> None:
    async with deck(tmp_path) as it:
        router = it.router()
        await router.follow()

        await _scale(it, router, 3)
        assert await _states(it) == {"decode-0": "ready", "decode-1": "ready", "decode-2": "joining", "prefill-0": "ready"}
        assert await _drift(it) == {"models.smollm2.pools.decode.replicas": "2 of 3 ready; decode-2 is joining"}
        await it.tick()
        assert list(it.fleet.engines) == ["prefill-0", "decode-0", "decode-1", "decode-2"]  # one start, however often it looks
        it.fleet.engines["decode-2"] = Phase.RUNNING
        await it.tick()
        await router.follow()
        assert set((await _states(it)).values()) == {"ready"}
        assert await _drift(it) == {}

        router.in_flight = {"decode-2": 2}
        await _scale(it, router, 2)
        assert it.control.board.config().draining == ("decode-2",)
        await it.tick(20)
        await router.follow()
        assert (await _states(it))["decode-2"] == "draining"
        assert await _drift(it) == {"models.smollm2.pools.decode.replicas": "2 of 2 ready; decode-2 is draining, 2 in flight"}

        router.in_flight = {}
        await router.follow()
        await it.tick()
        assert it.fleet.removed == []  # quiet, but not for long enough yet
        await router.follow()
        await it.tick(1)
        assert it.fleet.removed == ["decode-2"]
        await router.follow()
        await it.tick()
        await router.follow()
        assert it.control.board.config().draining == ()
        assert await _drift(it) == {}
        assert await it.outcomes() == ["started", "applied", "step", "applied", "step"]


async def test_routers_hear_whether_there_are_others(tmp_path: Path) -> None:
    async with deck(tmp_path) as it:
        first, second = it.router(), it.router("router-1")
        await first.follow()
        await it.tick()
        assert it.control.board.config().others is False
        await second.follow()
        await it.tick()
        heard = await first.fetch()
        assert heard is not None
        assert heard.others is True
        for _ in range(7):  # the second one falls silent
            await first.report()
            await it.tick(1)
        heard = await first.fetch()
        assert heard is not None
        assert heard.others is False


async def test_an_engine_stays_marked_until_no_router_lists_it(tmp_path: Path) -> None:
    async with deck(tmp_path) as it:
        router = it.router()
        await router.follow()
        await _scale(it, router, 1)
        await it.tick(1)
        await router.follow()
        await it.tick(1)
        assert it.fleet.removed == ["decode-1"]
        await it.tick()  # the router's last report still lists it
        assert it.control.board.config().draining == ("decode-1",)
        await router.follow()
        await it.tick()
        assert it.control.board.config().draining == ()


async def test_growing_again_takes_back_what_drains(tmp_path: Path) -> None:
    async with deck(tmp_path) as it:
        router = it.router()
        await router.follow()
        router.in_flight = {"decode-1": 1}
        await _scale(it, router, 1)
        answer = await it.patch({"pools": {"decode": {"replicas": 2}}}, dry_run="true")
        assert answer.json()["effects"][0]["engines"] == ["decode-1"]
        await _scale(it, router, 2)
        assert set((await _states(it)).values()) == {"ready"}
        assert it.fleet.removed == []


async def test_without_routers_a_leaving_engine_waits_out_its_time(tmp_path: Path) -> None:
    async with deck(tmp_path) as it:
        await it.router().follow()
        await it.patch({"pools": {"decode": {"replicas": 1}}})
        await it.tick(6)  # nobody has heard of a router since
        await it.tick(299)
        assert it.fleet.removed == []
        await it.tick(2)
        assert it.fleet.removed == ["decode-1"]


async def test_a_restart_goes_on_with_a_drain(tmp_path: Path) -> None:
    fleet = running("prefill-0", "decode-0", "decode-1")
    async with deck(tmp_path, fleet) as it:
        router = it.router()
        router.in_flight = {"decode-1": 1}
        await router.follow()
        await _scale(it, router, 1)
    async with deck(tmp_path, fleet) as again:
        router.http = again.http
        router.config = None
        config = await router.fetch()
        assert config is not None
        assert config.draining == ("decode-1",)  # from the very first answer on
        assert fleet.removed == []


async def test_a_machinery_that_fails_is_visible_and_tried_again(tmp_path: Path) -> None:
    async with deck(tmp_path) as it:
        await it.router().follow()
        it.fleet.refuses_to_add = "not enough memory for one more engine"
        await it.patch({"pools": {"decode": {"replicas": 3}}})
        await it.tick()
        field = "models.smollm2.pools.decode.replicas"
        assert (await _drift(it))[field] == "2 of 3 ready; not enough memory for one more engine (tried 1x)"
        await it.tick(0.5)  # too early to try again
        assert (await _drift(it))[field].endswith("(tried 1x)")
        await it.tick(0.6)
        assert (await _drift(it))[field].endswith("(tried 2x)")
        it.fleet.refuses_to_add = None
        await it.tick(5)
        assert (await _states(it))["decode-2"] == "joining"
        assert await it.outcomes() == ["started", "applied", "failed", "step"]


async def test_a_failure_goes_away_with_the_wish(tmp_path: Path) -> None:
    async with deck(tmp_path) as it:
        await it.router().follow()
        it.fleet.refuses_to_add = "no"
        await it.patch({"pools": {"decode": {"replicas": 3}}})
        await it.tick()
        await it.patch({"pools": {"decode": {"replicas": 2}}})
        await it.tick()
        await it.router().follow()
        assert await _drift(it) == {}


async def test_without_the_machinery_nothing_is_started_twice(tmp_path: Path) -> None:
    async with deck(tmp_path) as it:
        await it.router().follow()
        it.fleet.broken = "no supervisor answers"
        await it.patch({"pools": {"decode": {"replicas": 3}}})
        for _ in range(3):
            await it.tick()
        assert (await _drift(it))["machinery"] == "no supervisor answers (tried 3x)"
        assert (await _states(it)) == {"decode-0": "ready", "decode-1": "ready", "prefill-0": "ready"}
        it.fleet.broken = None
        await it.tick()
        assert "machinery" not in await _drift(it)
        assert (await _states(it))["decode-2"] == "joining"


async def test_what_cannot_be_ended_goes_on_serving(tmp_path: Path) -> None:
    async with deck(tmp_path) as it:
        await it.router().follow()
        it.fleet.broken = "no supervisor answers"
        await it.patch({"pools": {"decode": {"replicas": 1}}})
        await it.tick()
        assert it.control.board.config().draining == ()
        it.fleet.broken = None
        await it.tick()
        assert it.control.board.config().draining == ("decode-1",)


async def test_a_decode_engine_becomes_a_prefill_engine(tmp_path: Path) -> None:
    async with deck(tmp_path) as it:
        it.fleet.says = Machinery(changes_roles=True)
        router = it.router()
        await router.follow()
        await it.tick()
        answer = await it.patch({"pools": {"prefill": {"replicas": 2}, "decode": {"replicas": 1}}})
        assert [effect["kind"] for effect in answer.json()["effects"]] == ["change_role"]
        await it.tick()
        await router.follow()
        await it.tick(0.5)
        assert list(it.fleet.engines) == ["prefill-0", "decode-0", "decode-1"]
        assert (await _drift(it))["models.smollm2.pools.prefill.replicas"].endswith("the next starts when decode-1 has ended")
        await router.follow()
        await it.tick(1)
        assert list(it.fleet.engines) == ["prefill-0", "decode-0"]
        await router.follow()
        await it.tick()
        await it.tick()
        assert list(it.fleet.engines) == ["prefill-0", "decode-0", "prefill-1"]


async def test_a_pool_without_room_is_not_asked_to_grow(tmp_path: Path) -> None:
    async with deck(tmp_path) as it:
        needs = Amount(memory_bytes=2_000_000_000, cores=0.25)
        it.fleet.says = Machinery(rooms={Pool.DECODE: Room(needs=needs, free=Amount(memory_bytes=0, cores=1.0))})
        await it.tick()
        for dry_run in ("true", "false"):
            answer = await it.patch({"pools": {"decode": {"replicas": 3}}}, dry_run=dry_run)
            assert answer.status_code == 422
            assert answer.json()["error"] == {
                "code": "refused",
                "message": "one more decode engine needs 2.0 GB of memory and 0.25 cores; 0.0 GB of memory and 1 core are free: "
                "2.0 GB of memory are missing",
                "field": "models.smollm2.pools.decode.replicas",
            }
        assert it.control.board.generation == 1


async def test_one_change_of_a_pool_is_in_flight_also_over_a_restart_and_a_dry_run_says_the_same(tmp_path: Path) -> None:
    fleet = running("prefill-0", "decode-0", "decode-1")
    more = {"pools": {"decode": {"replicas": 5}}}
    async with deck(tmp_path, fleet) as it:
        router = it.router()
        await router.follow()
        await _scale(it, router, 3)
        dry, real = await it.patch(more, dry_run="true"), await it.patch(more)
        assert dry.json() == real.json()
        error = real.json()["error"]
        assert (real.status_code, error["code"], error["field"]) == (422, "in_flight", "models.smollm2.pools.decode.replicas")
        assert "on its way from 2 to 3 engines since" in error["message"]
        assert it.control.board.generation == 2
    async with deck(tmp_path, fleet) as again:
        router.http = again.http
        await router.follow()
        assert (await again.patch(more)).status_code == 422
        fleet.engines["decode-2"] = Phase.RUNNING
        await again.tick()
        await router.follow()
        await again.tick()
        assert (await again.patch(more)).status_code in (200, 202)
        forced = await again.patch({"pools": {"decode": {"replicas": 4}}}, force="true")
        assert forced.json()["effects"][0]["kind"] == "forced"
        (record,) = (await again.http.get("/v1/audit", params={"limit": 1})).json()["records"]
        assert (record["forced"], record["effects"][0][:7]) == (True, "Forced:")


async def test_where_nothing_scales_pools_engines_are_drained_by_operators_alone(tmp_path: Path) -> None:
    field = "models.smollm2.pools.decode.replicas"
    async with deck(tmp_path) as it:
        it.fleet.says = Machinery(scales=False)
        router = it.router()
        await router.follow()
        it.fleet.engines["decode-2"] = Phase.RUNNING
        await it.tick()
        await router.follow()
        assert (await _states(it))["decode-2"] == "ready"
        assert (await _drift(it))[field].startswith("3 of 2 ready; 3 listed; nothing that control knows runs the engines")
        answer = await it.patch({"pools": {"decode": {"drained": ["decode-1"]}}})
        assert answer.status_code in (200, 202)
        await it.tick()
        assert (await _states(it))["decode-1"] == "drained"
        assert (await it.patch({"pools": {"decode": {"replicas": 3}}})).status_code in (200, 202)
        await router.follow()
        await it.tick()
        assert (await _drift(it), it.fleet.removed) == ({}, [])


async def test_a_list_that_cannot_be_read_is_drift_and_what_it_listed_last_still_counts(tmp_path: Path) -> None:
    async with deck(tmp_path) as it:
        router = it.router()
        await router.follow()
        before = await _states(it)
        it.fleet.unlistable = "engines.json: No such file or directory"
        await it.tick()
        assert await _states(it) == before
        assert await _drift(it) == {"targets": "engines.json: No such file or directory; what it listed last still counts"}
        it.fleet.unlistable = None
        await it.tick()
        assert await _drift(it) == {}
