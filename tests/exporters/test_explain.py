"""How each quantity of one engine or LMCache is known."""

import io

import msgspec
import pytest
from rich.console import Console

from exporters.explain import Row, as_json, explain, show
from stack.adapters.exposition import ExpositionError
from tests.exporters import synthetic
from tests.exporters.recorded import Hosts, exposition, text


def engine(document: bytes, version: str | None) -> Hosts:
    hosts = Hosts({"http://e/metrics": text(document)})
    if version is not None:
        hosts.engine("e", document, version)
    return hosts


async def rows(document: bytes, version: str | None) -> dict[str, Row]:
    found = await explain("http://e", 4.0, engine(document, version).transport())
    assert found.version == version
    return {row.quantity: row for row in found.rows}


async def test_each_quantity_says_its_metric_or_why_it_has_none() -> None:
    found = await rows(exposition("vllm-0.32-nixl-decode"), "0.32.0")
    assert found["kv_cache_used"] == Row("kv_cache_used", "ratio", "present", 0.0, None, "vllm:kv_cache_usage_perc", None)
    assert found["block_lifetime"] == Row(
        "block_lifetime", "seconds", "absent", None, None, None, "told with --kv-cache-metrics only"
    )
    assert found["mooncake_time"].reason == "0.32.0 does not have it; versions from 0.33.0 on do"


async def test_an_older_engine_is_told_in_today_s_words() -> None:
    found = await rows(synthetic.exposition((0, 8, 5)), "0.8.5")
    assert (found["inter_token_latency"].state, found["inter_token_latency"].source) == (
        "renamed", "vllm:time_per_output_token_seconds",
    )  # fmt: skip


async def test_without_a_version_what_depends_on_it_says_so() -> None:
    found = await rows(synthetic.exposition((0, 8, 5)), None)
    assert found["prefix_cache_hit_tokens"].reason == "blocks or tokens: the version is not known"


async def test_the_table_and_the_document_say_the_same() -> None:
    found = await explain("http://e", 4.0, engine(exposition("vllm-0.32-plain"), "0.32.0").transport())
    console = Console(width=160, record=True, file=io.StringIO())
    show(found, console)
    printed = console.export_text()
    assert printed.startswith("vLLM 0.32.0\n")
    assert all(row.quantity in printed for row in found.rows)
    assert msgspec.json.decode(as_json(found))["quantities"][0]["quantity"] == found.rows[0].quantity


async def test_lmcache_is_explained_with_what_makes_its_counters_doubtful() -> None:
    hosts = Hosts()
    hosts.lmcache("e", exposition("lmcache-0.5.6-mp-server"))
    found = await explain("http://e", 4.0, hosts.transport())
    assert (found.target, found.version, found.doubts) == ("LMCache's server", None, ())
    rows = {row.quantity: row for row in found.rows}
    assert rows["lmcache_l2_stores_completed"] == Row(
        "lmcache_l2_stores_completed", "requests", "present", 12.0, None, "lmcache_mp_l2_store_completed_requests_total", None
    )
    assert rows["lmcache_loaded_chunks"].reason == "told where LMCache itself moves the KV to and from a device"


async def test_lost_events_are_said_under_the_table() -> None:
    hosts = Hosts()
    hosts.lmcache("e", b"lmcache_mp_event_bus_dropped_events_total 3\n")
    console = Console(width=160, record=True, file=io.StringIO())
    show(await explain("http://e", 4.0, hosts.transport()), console)
    assert console.export_text().endswith("its counters are too low: events_dropped\n")


async def test_an_engine_with_lmcache_inside_is_explained_with_both() -> None:
    found = await rows(b"vllm:num_requests_running 1\nlmcache:num_hit_tokens_total 7\n", None)
    assert (found["requests_running"].value, found["lmcache_loaded_tokens"].value) == (1.0, 7.0)


async def test_what_is_neither_an_engine_nor_an_lmcache_that_speaks_is_refused() -> None:
    with pytest.raises(ExpositionError, match="silent before its first look-up"):
        await explain("http://e", 4.0, engine(b"process_start_time_seconds 1\n", None).transport())


async def test_what_is_no_exposition_is_refused() -> None:
    with pytest.raises(ExpositionError):
        await explain("http://e", 4.0, Hosts({"http://e/metrics": text(b"x", **{"content-type": "text/html"})}).transport())
