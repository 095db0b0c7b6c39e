"""Whatever one engine answers, only what it says of itself is lost."""

import asyncio
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given, settings
from hypothesis import strategies as st

from stack.engines.samples import Samples
from stack.engines.vllm import WANTED
from tests.exporters.recorded import text
from tests.exporters.test_app import exporter, recorded, success

_TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\n\r"), max_size=12)
_LABELS = st.sampled_from(
    ["engine", "le", "source", "tier", "transfer_type", "operation", "block_size", "kv_cache_memory_bytes", "x"]
)
QUOTED = st.one_of(_TEXT, st.sampled_from(["NaN", "+Inf", "-1", "1e999", "0x10", "9" * 400, "", "\\", '\\"', "\\n", "1_0", " 1"]))
VALUES = st.sampled_from(["1", "0", "-5", "1e308", "-1e308", "NaN", "+Inf", "-Inf", "1e999", "abc", "", "1 2", "9" * 400])


@st.composite
def lines(draw: st.DrawFn) -> str:
    """A line under a name that is read, or any line at all."""
    if draw(st.integers(0, 9)) == 0:
        return draw(_TEXT)
    labels = ",".join(f'{draw(_LABELS)}="{draw(QUOTED)}"' for _ in range(draw(st.integers(0, 3))))
    return f"{draw(st.sampled_from(sorted(WANTED)))}{{{labels}}} {draw(VALUES)}"


def others(samples: Samples) -> set[tuple[str, tuple[tuple[str, str], ...], float]]:
    """What is said of all other engines; what a collection took is left out."""
    told = [one for one in samples if one.labels.get("replica", one.labels.get("target")) in {"prefill-0", "lmcache"}]
    return {(one.name, tuple(sorted(one.labels.items())), one.value) for one in told if "duration" not in one.name}


async def scraped(document: bytes) -> Samples:
    hosts = recorded()
    hosts.answers["http://decode-0/metrics"] = text(document)
    with TemporaryDirectory() as folder:
        async with exporter(Path(folder), hosts) as one:
            return await one.samples()


@cache
def good() -> set[tuple[str, tuple[tuple[str, str], ...], float]]:
    return others(asyncio.run(scraped(b"")))


@settings(max_examples=25)
@given(st.lists(lines(), max_size=30), st.binary(max_size=40))
def test_a_hostile_engine_costs_nothing_of_any_other(hostile: list[str], tail: bytes) -> None:
    samples = asyncio.run(scraped("\n".join(["vllm:num_requests_running 1", *hostile, ""]).encode() + tail))
    assert success(samples).keys() == {"prefill-0", "decode-0", "lmcache"}
    assert others(samples) == good()
