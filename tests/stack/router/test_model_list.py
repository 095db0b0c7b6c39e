"""The model list is the engines' own, and survives an engine that does not answer."""

import json

from stack.adapters.probe import Pulse
from stack.fleet.machine import ProbeSucceeded
from stack.model.tier import Pool
from stack.router.fleet_keeper import FleetKeeper
from stack.router.in_flight import InFlight
from stack.router.model_list import ModelList
from stack.router.settings import RouterSettings
from stack.router.upstream import Upstream
from tests.stack.router.fakes import MODEL, FakeEngine

CARD = {"id": MODEL, "object": "model", "owned_by": "vllm", "root": "/m", "max_model_len": 4096}


async def _silent(url: str, deadline_seconds: float) -> Pulse:
    return Pulse.SILENT


def _ids(models: ModelList) -> list[object]:
    return list(json.loads(models.document())["data"])


async def test_cards_come_from_ready_engines_and_stay_when_one_falls_silent() -> None:
    engine, prefill = FakeEngine("decode-0"), FakeEngine("prefill-0", Pool.PREFILL)
    for each in (engine, prefill):
        await each.start()
    settings, upstream = RouterSettings(probe_interval_s=60.0), Upstream()
    keeper = FleetKeeper(settings, InFlight(), _silent)
    models = ModelList(keeper, upstream, settings)
    keeper.retarget([engine.target, prefill.target])
    assert _ids(models) == []
    keeper.apply(ProbeSucceeded("prefill-0"))
    keeper.apply(ProbeSucceeded("decode-0"))
    assert _ids(models) == [{"id": MODEL, "object": "model", "owned_by": "kvdeck", "root": "/m"}]
    await models.refresh()
    assert _ids(models) == [CARD]
    await engine.stop()
    await models.refresh()
    assert _ids(models) == [CARD]
    await upstream.close()
    await keeper.close()
    await prefill.stop()
