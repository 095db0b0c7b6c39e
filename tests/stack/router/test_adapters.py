"""LoRA adapters of emulated engines, asked for through the router by their own names."""

from __future__ import annotations

import tempfile
from pathlib import Path

import httpx

from stack.control.decision import DecisionRecord
from stack.model.tier import Pool, Tier
from stack.router.recording import record_of
from tests.stack.adapters import tokenizer_folder
from tests.stack.router.bench import LONG, RouterBench, fleet, state
from tests.stack.router.emulated import Emulated, emulated, home
from tests.stack.router.fakes import MODEL, FakeEngine
from tests.stack.router.waiting import until


def _knows(bench: RouterBench, *names: str) -> bool:
    known = bench.router.keeper.fleet
    return not known.unlisted and known.adapters.keys() == set(names)


async def _ids(bench: RouterBench) -> list[tuple[str, str | None]]:
    return [(card["id"], card["parent"]) for card in (await bench.client.get("/v1/models")).json()["data"]]


async def _asked(bench: RouterBench, name: str, times: int, content: str = "hello") -> list[DecisionRecord]:
    for number in range(times):
        answer = await bench.chat(f"{number} {content}", model=name, max_tokens=2)
        assert (answer.status_code, answer.json()["model"]) == (200, name)
    return (await _records(bench, times))[-times:]


async def _records(bench: RouterBench, least: int) -> list[DecisionRecord]:
    await until(lambda: len(bench.router.records) >= least)
    return [record_of(errand) for errand in bench.router.records.batch(100).errands]


async def test_adapters_are_served_where_they_are_and_other_names_are_not(tmp_path: Path) -> None:
    engines = home(0.001)
    members = [
        Emulated(engines, "decode-0", adapters=("sql",)),
        Emulated(engines, "decode-1", adapters=("sql", "fr")),
        Emulated(engines, "decode-2"),
    ]
    async with emulated(tmp_path, engines, *members) as bench:
        await until(lambda: _knows(bench, "fr", "sql"))
        assert await _ids(bench) == [(MODEL, None), ("fr", MODEL), ("sql", MODEL)]
        records = await _asked(bench, "sql", 4)
        assert [record.engine for record in records] == ["decode-0", "decode-1"] * 2
        assert {(record.model, record.adapter, record.requested) for record in records} == {(MODEL, "sql", "sql")}
        counted = await bench.metric("kvdeck_router_requests_total")
        refused = await bench.chat(model="de")
    assert [labels for labels in counted if "sql" in labels] == []
    assert (refused.status_code, refused.json()["error"]["code"]) == (404, "model_not_found")


async def test_an_adapter_is_disaggregated_as_its_model_is_among_engines_that_have_it(tmp_path: Path) -> None:
    engines = home(0.001)
    members = [
        Emulated(engines, "prefill-0", Pool.PREFILL),
        Emulated(engines, "prefill-1", Pool.PREFILL, adapters=("sql",)),
        Emulated(engines, "decode-0", adapters=("sql", "fr")),
    ]
    async with emulated(tmp_path, engines, *members) as bench:
        await until(lambda: _knows(bench, "fr", "sql"))
        (across,) = await _asked(bench, "sql", 1, LONG)
        await bench.chat(LONG, model="fr", max_tokens=2)
        direct = (await _records(bench, 2))[-1]
    assert (across.path, across.prefill_engine, across.fallbacks) == ("dpd", "prefill-1", ())
    assert (direct.path, direct.fallbacks) == ("direct", ("no_ready_prefill_engine",))


async def test_the_same_prompt_under_another_adapter_begins_anew(tmp_path: Path) -> None:
    engines = home(0.001)
    member = Emulated(engines, "decode-0", adapters=("sql",))
    async with emulated(tmp_path, engines, member, model=state("prefix_aware", threshold=100_000)) as bench:
        await until(lambda: _knows(bench, "sql"))
        for number, name in enumerate((MODEL, "sql", "sql", MODEL), 1):
            await bench.chat(LONG, model=name, max_tokens=2)
            records = await _records(bench, number)
    cached = [record.cached_tokens for record in records]
    expected = [record.decode.expected_cached_tokens for record in records]
    assert ([bool(tokens) for tokens in cached], cached[2]) == ([False, False, True, True], cached[3])
    assert [bool(tokens) for tokens in expected] == [False, False, True, True]


async def test_what_an_engine_holds_of_an_adapter_is_foreseen_by_its_events(tmp_path: Path) -> None:
    engines, root = home(0.001), str(tokenizer_folder.write(tmp_path))
    with tempfile.TemporaryDirectory(prefix="kvdeck-") as sockets:  # socket paths are short
        members = [Emulated(engines, f"decode-{n}", adapters=("sql",), root=root, sockets=Path(sockets)) for n in range(2)]
        async with emulated(tmp_path, engines, *members, model=state("kv_aware", threshold=100_000)) as bench:
            await until(lambda: _knows(bench, "sql") and bench.router._tokens.unusable(MODEL) is None)
            names = (MODEL, "sql", "sql", MODEL)
            for number, name in enumerate(names, 1):
                await bench.chat(LONG[:1000], model=name, max_tokens=1)
                records = await _records(bench, number)
                await _heard(bench, records[-1].prompt_tokens // 64 * len({*names[:number]}))
    assert [record.index_error_tokens for record in records] == [0, 0, 0, 0]
    assert [bool(record.cached_tokens) for record in records] == [False, False, True, True]
    assert records[2].engine == records[1].engine != records[0].engine == records[3].engine


async def _heard(bench: RouterBench, blocks: int) -> None:
    index = bench.router._index
    await until(lambda: sum(index.blocks(f"decode-{number}", Tier.ENGINE) or 0 for number in range(2)) >= blocks)


async def test_adapters_come_and_go_while_engines_run(tmp_path: Path) -> None:
    engines = home(0.001)
    member = Emulated(engines, "decode-0")
    async with emulated(tmp_path, engines, member) as bench, httpx.AsyncClient(base_url=member.url, trust_env=False) as engine:
        await until(lambda: _knows(bench))
        assert (await bench.chat(model="sql")).status_code == 404
        loaded = await engine.post("/v1/load_lora_adapter", json={"lora_name": "sql", "lora_path": "/sql"})
        await until(lambda: _knows(bench, "sql"))
        assert (loaded.status_code, (await bench.chat(model="sql", max_tokens=1)).status_code) == (200, 200)
        again = await engine.post("/v1/load_lora_adapter", json={"lora_name": "sql", "lora_path": "/sql"})
        gone = [(await engine.post("/v1/unload_lora_adapter", json={"lora_name": "sql"})).status_code for _ in range(2)]
        await until(lambda: _knows(bench))
        assert (again.status_code, gone, (await bench.chat(model="sql")).status_code) == (400, [200, 404], 404)


async def test_a_name_is_not_called_unknown_before_every_engine_has_told(tmp_path: Path) -> None:
    told, silent = FakeEngine("decode-0"), FakeEngine("decode-1")
    silent.tells.clear()
    async with fleet(tmp_path, told, silent) as bench:
        early, known = await bench.chat(model="sql"), await bench.chat()
        silent.tells.set()
        await until(lambda: _knows(bench))
        late = await bench.chat(model="sql")
    assert [(one.status_code, one.headers.get("retry-after")) for one in (early, known, late)] == [
        (503, "1"),
        (200, None),
        (404, None),
    ]
    assert early.json()["error"]["code"] == "models_not_listed"
