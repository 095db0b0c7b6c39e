"""The emulated cache server speaks LMCache's words: what it reports leads a router to the emulated tiers."""

from __future__ import annotations

import json
from functools import partial

import httpx
import msgspec
import pytest

from stack.api.cache_board import CacheBoard
from stack.cache.tier_index import TierIndex
from stack.control.cache_directory import CacheDirectory
from stack.emulator.cache_reporter import CacheReporter
from stack.emulator.cache_reports import CacheReports
from stack.emulator.events import Journal, Medium
from stack.emulator.shared_memory import SharedMemory
from stack.engines.lmcache_chunks import chunk_names, knows
from stack.engines.lmcache_events import batches, registration
from stack.engines.lmcache_status import ServerStatus
from stack.model.placement import EnginePlacement, Placement
from stack.model.target import Target
from stack.model.tier import Pool
from tests.stack.emulator.rig import PROFILE, Rig, prompt

pytest.importorskip("blake3")
SIZE = PROFILE.block_size


def rig(reports: CacheReports, memory: SharedMemory) -> Rig:
    """An engine of a cache server, as the emulator puts it together."""
    made = Rig(reach=memory.join("e", reports))
    made.journal._describe = partial(reports.described, "/m")
    return made


def reach(reports: CacheReports, tokens: tuple[int, ...]) -> EnginePlacement:
    """What a router knows to lie behind an engine of that server, by what was reported."""
    board = CacheBoard(CacheDirectory(1, has_store=True), lambda: 1.0)
    board.register(registration(json.dumps({"instance_id": reports.server, "ip": "h", "http_port": 1}).encode()))
    board.report(batches(msgspec.json.encode({"batches": reports.take()})))
    board.describe(reports.server, ServerStatus(SIZE, reports.algorithm, reports.held[Medium.CPU], 0))
    board.describe_store(("r", 0, 0, 0), reports.held[Medium.STORAGE])
    index = TierIndex(chunk_names, knows)
    index.take(board.directory.update(0, 0, 1.0), 1.0)
    target = Target(replica="e", url="http://h:1", pool=Pool.DECODE, model="m", model_root="/m", cache_server=reports.server)
    return index.behind(Placement({"e": EnginePlacement()}, len(tokens)), tokens, "", [target], 1.0).engines["e"]


def test_a_router_finds_what_engines_of_the_server_stored() -> None:
    reports, memory = CacheReports("lmc", SIZE, 1, 1_000), SharedMemory(PROFILE)
    tokens = prompt(1, 3 * SIZE + 1)
    rig(reports, memory).ask(tokens)
    found = reach(reports, tokens)
    assert (found.l1_tokens, found.l2_tokens, found.certain) == (3 * SIZE, 0, True)


def test_what_l1_evicted_is_found_in_l2() -> None:
    reports, memory = CacheReports("lmc", SIZE, 1, 1_000), SharedMemory(PROFILE)
    engine, tokens = rig(reports, memory), prompt(1, 2 * SIZE + 1)
    engine.ask(tokens)
    for name in range(2, 2 + PROFILE.l1_blocks):
        engine.ask(prompt(name, SIZE + 1))
    found = reach(reports, tokens)
    assert (found.l1_tokens, found.certain) == (0, True)
    assert found.l2_tokens == min(2, max(0, PROFILE.l2_blocks - PROFILE.l1_blocks)) * SIZE


def test_names_that_are_forgotten_are_not_reported() -> None:
    reports = CacheReports("lmc", 2, 1, limit=1)
    reports.described("/m", [1, 2], None, [1, 2, 3, 4], None)
    reports.described("/m", [4], 3, [5, 6], None)
    reports.stored(Medium.CPU, [1, 2, 4])
    assert [len(batch["entries"]) for batch in reports.take()] == [1]
    assert reports.held[Medium.CPU] == 3


def test_a_journal_describes_what_it_tells() -> None:
    told: list[object] = []
    Journal(2, lambda: None, lambda *block: told.append(block)).stored([7], None, [1, 2], "salt")
    assert told == [([7], None, [1, 2], "salt")]


async def test_it_registers_reports_and_says_that_it_is_there() -> None:
    reports = CacheReports("lmc", 2, 1, limit=9)
    reports.described("/m", [1], None, [1, 2], None)
    reports.stored(Medium.CPU, [1])
    asked: list[str] = []

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append(f"{request.method} {request.url.path}")
        return httpx.Response(200)

    async with httpx.AsyncClient(transport=httpx.MockTransport(answer)) as client:
        reporter = CacheReporter(client, "http://c/v1/lmcache", ("h", 1), lambda: reports)
        for _ in range(4):
            await reporter.flush(reports)
    assert asked == ["POST /v1/lmcache/instances", "POST /v1/lmcache/events", "PUT /v1/lmcache/instances/lmc/heartbeat"]
