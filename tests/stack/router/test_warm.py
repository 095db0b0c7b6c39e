"""Whatever strategy was in force, the router has learnt meanwhile what the others go by: a switch begins warm."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from stack.model.tier import Tier
from stack.router.recording import record_of
from stack.traffic import prose
from tests.stack.adapters import tokenizer_folder
from tests.stack.router.bench import RouterBench, state
from tests.stack.router.emulated import Emulated, emulated, home
from tests.stack.router.fakes import MODEL
from tests.stack.router.waiting import until

ENGINES, DOCUMENTS, WORDS = 3, 6, 100
BLOCK = 64  # tokens, of an emulated engine
NEVER = 100_000  # tokens: nothing is disaggregated


@contextmanager
def sockets() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="kvdeck-") as folder:  # socket paths are short
        yield Path(folder)


async def asked(bench: RouterBench, generation: int, strategy: str) -> float:
    """The cached share of the prompts when each document is asked about once."""
    bench.apply(generation, state(strategy, threshold=NEVER))
    for number in range(DOCUMENTS):
        text = prose.document(number, WORDS)
        answer = await bench.chat(text, headers={"x-session-id": f"reader-{number}"}, max_tokens=1)
        assert answer.status_code == 200
    await until(lambda: len(bench.router.records) == DOCUMENTS * generation)
    records = [record_of(errand) for errand in bench.router.records.batch(1000).errands][-DOCUMENTS:]
    assert {record.decode.strategy for record in records} == {strategy}
    return sum(record.cached_tokens or 0 for record in records) / sum(record.prompt_tokens for record in records)


async def told(bench: RouterBench) -> None:
    """Every engine's events of what it holds are in."""
    index = bench.router._index
    blocks = sum(errand.route.prompt_tokens // BLOCK for errand in bench.router.records.batch(1000).errands)
    await until(lambda: sum(index.blocks(f"decode-{number}", Tier.ENGINE) or 0 for number in range(ENGINES)) >= blocks)


@pytest.mark.parametrize(("before", "after"), [("session", "kv_aware"), ("round_robin", "prefix_aware")])
async def test_the_first_requests_after_a_switch_find_as_much_cached_as_later_ones(tmp_path: Path, before: str, after: str) -> None:
    engines, root = home(0.001), str(tokenizer_folder.write(tmp_path))
    with sockets() as folder:
        members = [Emulated(engines, f"decode-{number}", root=root, sockets=folder) for number in range(ENGINES)]
        async with emulated(tmp_path, engines, *members) as bench:
            await until(lambda: bench.router._tokens.unusable(MODEL) is None)
            cold = await asked(bench, 1, before)
            await told(bench)
            first, later = await asked(bench, 2, after), await asked(bench, 3, after)
    assert cold < 0.2
    assert first == later > 0.8
