"""A whole control in front of a HyperPod endpoint: read-only, or with live patching."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from stack.kube.hyperpod.endpoint_map import Endpoint
from stack.kube.hyperpod.routing import EndpointRouting
from stack.kube.scaler import KubernetesScaler
from tests.stack.api.deck import Deck, deck
from tests.stack.control.samples import desired
from tests.stack.kube.hyperpod.operator import OWN, Operated, operated
from tests.stack.kube.hyperpod.samples import disaggregated, routing

pytestmark = pytest.mark.usefixtures("api_server")
ENDPOINT: dict[str, Any] = {
    "intelligentRoutingSpec": routing("prefixaware"),
    "pdSpec": disaggregated(prefill=1) | {"routingThreshold": 512},
}


@dataclass
class Fleet:
    deck: Deck
    it: Operated

    async def told(self) -> tuple[str, int, int, int]:
        """Strategy, threshold and replicas of the endpoint."""
        spec = (await self.it.document())["spec"]
        pd = spec["pdSpec"]
        roles = pd["prefillSpec"]["replicas"], pd["decodingSpec"]["replicas"]
        return spec["intelligentRoutingSpec"]["routingStrategy"], pd["routingThreshold"], *roles

    async def go_on(self) -> None:
        await self.deck.tick(10)
        if self.deck.control.mirror is not None:
            await self.deck.control.mirror.tick()


@asynccontextmanager
async def fleet(folder: Path, *, live: bool, own: Endpoint = OWN) -> AsyncIterator[Fleet]:
    it = await operated(own, live=live, most_decoders=1, **ENDPOINT)
    scaler = it.scaler
    assert isinstance(scaler, KubernetesScaler)
    access = it.way.access
    follows = EndpointRouting(access, [own], it.clock, it.way.transport) if live else None
    begin = desired(prefill=1, decode=1)
    async with deck(
        folder, configured=begin, clock=it.clock, scaler=scaler, targets=scaler.targets, counterpart=follows
    ) as control:
        yield Fleet(control, it)


async def test_a_change_is_patched_into_the_endpoint_and_marked_as_unverified_everywhere(tmp_path: Path) -> None:
    change = {"strategy": "session", "dpd": {"routing_threshold": 1024}, "pools": {"prefill": {"replicas": 2}}}
    async with fleet(tmp_path, live=True) as it:
        answer = await it.deck.patch(change)
        sentences = [effect["sentence"] for effect in answer.json()["effects"] if effect["kind"] == "change_elsewhere"]
        assert (len(sentences), all("unverified against the operator" in sentence for sentence in sentences)) == (3, True)
        assert await it.told() == ("prefixaware", 512, 1, 1)
        await it.go_on()
        assert await it.told() == ("session", 1024, 2, 1)
        records = (await it.deck.http.get("/v1/audit")).json()["records"]
        steps = [
            record["comment"] for record in records if record["outcome"] == "step" and "set to" in (record.get("comment") or "")
        ]
        assert len([step for step in steps if "unverified" in step]) == 2


@pytest.mark.parametrize(
    ("change", "field", "source"),
    [
        ({"pools": {"decode": {"replicas": 2}}}, "pools.decode.replicas", "docs.aws.amazon.com"),
        ({"dpd": {"enabled": False}}, "dpd.enabled", "docs.aws.amazon.com"),
        ({"pools": {"decode": {"strategy": "session"}}}, "pools.decode.strategy", "one routingStrategy"),
    ],
)
async def test_what_an_endpoint_does_not_take_is_refused_with_its_source(
    tmp_path: Path, change: dict[str, Any], field: str, source: str
) -> None:
    async with fleet(tmp_path, live=True) as it:
        for params in ({"dry_run": "true"}, {}):
            answer = await it.deck.patch(change, **params)
            error = answer.json()["error"]
            assert (answer.status_code, error["field"], source in error["message"]) == (422, f"models.smollm2.{field}", True)
        assert ((await it.deck.state())["generation"], await it.told()) == (1, ("prefixaware", 512, 1, 1))


async def test_without_live_patching_the_endpoint_is_only_read(tmp_path: Path) -> None:
    async with fleet(tmp_path, live=False) as it:
        refused = (await it.deck.patch({"pools": {"prefill": {"replicas": 2}}})).json()["error"]
        assert refused["field"] == "models.smollm2.pools.prefill.replicas"
        assert "--hyperpod-live-patching, which is unverified against the operator" in refused["message"]
        assert (await it.deck.patch({"strategy": "session"})).status_code in (200, 202)
        await it.go_on()
        assert await it.told() == ("prefixaware", 512, 1, 1)
