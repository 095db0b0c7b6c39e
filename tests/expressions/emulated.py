"""What an emulated fleet says after traffic, disaggregated and direct: its engines themselves, and the exporter that watches it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import httpx

from exporters.app import application
from exporters.settings import Settings
from stack.emulator.fleet import Fleet
from stack.emulator.identity import EngineSpec
from stack.model.target import Target, encode
from stack.model.tier import Pool
from stack.wiring.emulator import EmulatorSettings, build_fleet

ENGINES = {"prefill-0": Pool.PREFILL, "decode-0": Pool.DECODE}
_PRODUCE = {"do_remote_decode": True, "do_remote_prefill": False, "remote_engine_id": None, "remote_block_ids": None}
_PROMPTS = [f"Conversation {number} begins. " + "It goes on and on. " * 60 for number in range(2)]


async def expositions(folder: Path) -> dict[str, str]:
    """The expositions of the engines by name, and the exporter's under an empty one. A thousand times faster than life."""
    fleet = build_fleet(EmulatorSettings(host="127.0.0.1", port=0, profile="laptop-smollm2", time_scale=0.001))
    try:
        urls = {name: await _started(fleet, name, pool) for name, pool in ENGINES.items()}
        async with httpx.AsyncClient(timeout=20.0, trust_env=False) as client:
            for prompt in _PROMPTS + _PROMPTS:
                await _disaggregated(client, urls, prompt)
                await _complete(client, urls["decode-0"], prompt)
            own = {name: (await client.get(f"{url}/metrics")).text for name, url in urls.items()}
        return own | {"": await _watched(folder, urls)}
    finally:
        await fleet.close()


async def _started(fleet: Fleet, name: str, pool: Pool) -> str:
    return (await fleet.start(name, EngineSpec(pool=pool, port=0, model="m", model_root="/models/m"))).url


async def _disaggregated(client: httpx.AsyncClient, urls: dict[str, str], prompt: str) -> None:
    produced = await _complete(client, urls["prefill-0"], prompt, max_tokens=1, kv_transfer_params=_PRODUCE)
    await _complete(client, urls["decode-0"], prompt, kv_transfer_params=produced["kv_transfer_params"])


async def _complete(client: httpx.AsyncClient, url: str, prompt: str, **fields: object) -> Any:
    body = {"model": "m", "prompt": prompt, "max_tokens": 8, **fields}
    return (await client.post(f"{url}/v1/completions", json=body)).raise_for_status().json()


async def _watched(folder: Path, urls: dict[str, str]) -> str:
    listed = folder / "engines.json"
    fleet = [Target(replica=name, url=urls[name], pool=pool, model="m", model_root="/models/m") for name, pool in ENGINES.items()]
    listed.write_bytes(encode(fleet))
    app = application(Settings("127.0.0.1", 0, (str(listed),), {}, 4.0))
    page = httpx.ASGITransport(app)
    async with app.router.lifespan_context(app), httpx.AsyncClient(transport=page, base_url="http://exporter") as client:
        return (await client.get("/metrics")).text
