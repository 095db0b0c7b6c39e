"""A whole control whose pools run on Kubernetes: what is desired is drained, scaled in and out, refused and left alone."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import msgspec
import pytest

from stack.control.link import EngineReport, RouterConfig, RouterReport
from stack.control.machinery import Phase
from stack.control.mode import LIVE, Mode, Stance
from stack.kube.scaler import KubernetesScaler
from stack.kube.workloads import WorkloadKind
from tests.stack.api.deck import Deck, deck
from tests.stack.kube.cluster import DEPLOYMENT, STATEFUL_SET, Cluster, cluster
from tests.stack.kube.hands import told
from tests.stack.kube.stand_in.api_server import StandIn
from tests.stack.kube.test_owners import HELM, mark

pytestmark = pytest.mark.usefixtures("api_server")
FIELD = "models.smollm2.pools.decode.replicas"


@dataclass
class Steered:
    """Control, its cluster, and a router that does as it is told; `busy` are its requests in flight by engine."""

    deck: Deck
    cluster: Cluster
    busy: dict[str, int]
    draining: tuple[str, ...] = ()

    async def follow(self) -> None:
        """The router applies what control says, and reports what it knows: every engine that has an address."""
        http = self.deck.http
        answer = await http.get("/v1/routers/router-0/config", params={"version": -1, "wait": 0})
        config = msgspec.json.decode(answer.content, type=RouterConfig)
        self.draining = config.draining
        running = [one.name for one in (await self.cluster.scaler.look()).processes if one.phase is Phase.RUNNING]
        engines = [EngineReport(name=name, health="ready", in_flight=self.busy.get(name, 0)) for name in running]
        report = RouterReport(id="router-0", version=config.version, generation=config.generation, engines=tuple(engines))
        told_of = await http.post("/v1/routers/router-0/report", content=msgspec.json.encode(report))
        assert told_of.status_code == 204, told_of.text

    async def go_on(self, seconds: float = 2.0, times: int = 1) -> None:
        """Time passes: controllers, router and control do their part."""
        for _ in range(times):
            await self.cluster.hands.settle()
            self.deck.clock.advance(seconds)
            await self.follow()
            await self.deck.control.reconciler.tick()
            await self.follow()

    async def states(self) -> dict[str, str]:
        return {one["name"]: one["state"] for one in (await self.deck.state())["engines"]}

    async def drift(self) -> dict[str, str]:
        return {entry["field"]: entry["reason"] for entry in (await self.deck.state())["drift"]}

    async def replicas(self, plural: str = "deployments") -> int:
        found: int = told(await self.cluster.hands.http.get(self.cluster.hands.workload(plural, "decode")))["spec"]["replicas"]
        return found

    async def scale(self, decode: int, **asked: str) -> httpx.Response:
        return await self.deck.patch({"pools": {"decode": {"replicas": decode}}}, **asked)


@asynccontextmanager
async def steered(
    folder: Path, kind: WorkloadKind = DEPLOYMENT, stance: Stance = LIVE, server: StandIn | None = None, token: str = "admin"
) -> AsyncIterator[Steered]:
    it = await cluster(kind, server, token)
    scaler = it.scaler
    assert isinstance(scaler, KubernetesScaler)
    async with deck(folder, clock=it.clock, scaler=scaler, targets=scaler.targets, stance=stance) as control:
        found = Steered(control, it, {})
        await found.go_on()
        assert set((await found.states()).values()) == {"ready"}
        yield found


async def test_a_deployment_grows_at_once_and_shrinks_by_the_engine_that_was_drained(tmp_path: Path) -> None:
    async with steered(tmp_path) as it:
        before = set(await it.states())
        await it.scale(4)
        await it.deck.tick()
        assert await it.replicas() == 4
        await it.deck.tick()
        await it.follow()
        assert await it.drift() == {FIELD: "2 of 4 ready; decode-awaited-1 is joining; decode-awaited-2 is joining"}
        await it.go_on()
        assert (len(await it.states()), await it.drift()) == (5, {})

        preview = (await it.scale(3, dry_run="true")).json()["effects"][0]["engines"]
        await it.scale(3)
        await it.deck.tick()
        (leaver,) = preview
        it.busy = {leaver: 2}
        await it.go_on(times=3)
        assert (it.draining, await it.replicas()) == ((leaver,), 4)  # nothing is scaled in while requests run
        it.busy = {}
        await it.go_on(times=3)
        assert await it.replicas() == 3
        assert leaver not in await it.states()
        assert (await it.drift(), it.draining) == ({}, ())
        assert before - {leaver} <= set(await it.states())
        assert await it.deck.outcomes() == ["started", "applied", "step", "applied", "step"]


async def test_a_stateful_set_drains_and_ends_its_highest_ordinal(tmp_path: Path) -> None:
    async with steered(tmp_path, STATEFUL_SET) as it:
        await it.scale(1)
        await it.deck.tick()
        await it.follow()
        assert it.draining == ("decode-1",)
        await it.go_on(times=3)
        assert await it.states() == {"decode-0": "ready", "prefill-0": "ready"}
        assert await it.replicas("statefulsets") == 1


async def test_a_change_of_replicas_that_a_tool_sets_is_refused_with_what_to_hand_over(tmp_path: Path) -> None:
    async with steered(tmp_path) as it:
        await mark(it.cluster, HELM)
        await it.go_on()
        answer = await it.scale(3)
        refusal = answer.json()["error"]
        assert (answer.status_code, refusal["code"], refusal["field"]) == (422, "refused", FIELD)
        assert "Helm release fleet sets the replicas of Deployment decode" in refusal["message"]
        assert "annotate Deployment decode with kvdeck/sets: replicas" in refusal["message"]
        state = await it.deck.state()
        assert (state["generation"], await it.replicas()) == (1, 2)
        assert state["pools"][1] == {
            "model": "smollm2",
            "pool": "decode",
            "workload": "Deployment decode",
            "replicas": 2,
            "set_by": "hands",
            "owner": {
                "kind": "Helm release",
                "name": "fleet",
                "hand_over": refusal["message"].partition("for kvdeck to set them ")[2],
            },
            "hold": refusal["message"],
        }
        assert (await it.deck.patch({"dpd": {"routing_threshold": 9}})).status_code in (200, 202)


async def test_what_somebody_else_scaled_is_left_and_said_until_it_is_desired(tmp_path: Path) -> None:
    async with steered(tmp_path) as it:
        await it.cluster.hands.scale("deployments", "decode", 4)
        await it.go_on(times=3)
        assert await it.replicas() == 4
        reason = (await it.drift())[FIELD]
        assert reason.endswith(
            "kubectl scaled Deployment decode to 4, which is left so: desire 4 to keep it, or scale it back to 2"
        )
        await it.scale(4)
        await it.go_on()
        assert await it.drift() == {}


async def test_its_own_scaling_is_none_of_somebody_else_s_where_the_server_does_not_tell_who_scaled(tmp_path: Path) -> None:
    async with steered(tmp_path, server=StandIn(tell_of_scale=False)) as it:
        await it.scale(4)
        await it.deck.tick()
        await it.go_on()
        await it.scale(1)
        await it.deck.tick()
        await it.go_on(times=5)
        assert (await it.replicas(), await it.drift()) == (1, {})


async def test_a_pod_that_dies_is_its_controllers_to_replace(tmp_path: Path) -> None:
    async with steered(tmp_path) as it:
        victim = next(name for name in await it.states() if name.startswith("decode"))
        await it.cluster.hands.end(victim)
        it.deck.clock.advance(2)
        await it.deck.control.reconciler.tick()
        assert (await it.drift())[FIELD] == "1 of 2 ready; decode-awaited-1 is joining"
        await it.go_on(times=2)
        assert (await it.drift(), await it.replicas()) == ({}, 2)
        assert await it.deck.outcomes() == ["started"]


async def test_control_that_only_observes_writes_nothing(tmp_path: Path) -> None:
    async with steered(tmp_path, stance=Stance(Mode.OBSERVE)) as it:
        asked: list[str] = []
        it.cluster.way.server.asked = asked
        answer = await it.scale(1)
        assert answer.status_code == 403
        await it.cluster.hands.scale("deployments", "decode", 4)
        asked.clear()
        for _ in range(3):
            it.deck.clock.advance(60)
            await it.deck.tick()
        assert asked
        assert {request.partition(" ")[0] for request in asked} == {"GET"}


async def test_an_api_server_that_is_away_stops_scaling_and_not_serving(tmp_path: Path) -> None:
    async with steered(tmp_path) as it:
        await it.cluster.break_down()
        await it.scale(1)
        await it.deck.tick()
        drifting: dict[str, Any] = await it.drift()
        assert drifting["machinery"] == "the API server cannot be asked to tell of the pools: ConnectError (tried 1x)"
        assert it.deck.control.board.config().draining == ()
        assert len(await it.states()) == 3
