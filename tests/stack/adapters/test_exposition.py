"""Expositions that are good, huge, hostile or none."""

import asyncio
import gzip
import time
from contextlib import suppress

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stack.adapters.exposition import ExpositionError, Limits, fetch, fetch_json, parse
from stack.engines.samples import Sample
from tests.exporters.recorded import Hosts, exposition, json, text

WANTED = frozenset({"a_total", "b"})


def test_only_wanted_names_are_read() -> None:
    document = b'# HELP b x\n# TYPE b gauge\nb{x="1, \\"2\\" {}"} 4\na_total 2.5 1700000000\na_total_more 7\nbb 1\n b 9\nb\n'
    assert list(parse(document, WANTED)) == [Sample("b", {"x": '1, "2" {}'}, 4.0), Sample("a_total", {}, 2.5)]


def test_an_empty_exposition_has_no_samples() -> None:
    assert list(parse(b"", WANTED)) == []


@pytest.mark.parametrize(
    ("document", "complaint"),
    [
        (b"b{x=y} 1\n", "not a Prometheus exposition"),
        (b"b one\n", "not a Prometheus exposition"),
        (b'b{x="\xff\xfe"} 1\n', "not a Prometheus exposition"),
        (b'b{x="' + b"y" * 2000 + b'"} 1\n', "a line of more than 1000 bytes"),
        (b"b 1\n" * 11, "more than 10 samples"),
        (b"#" * 5001, "more than 5000 bytes"),
    ],
)
def test_a_bad_exposition_is_refused(document: bytes, complaint: str) -> None:
    with pytest.raises(ExpositionError, match=complaint):
        parse(document, WANTED, Limits(document_bytes=5000, line_bytes=1000, samples=10))


@pytest.mark.parametrize(
    "document",
    [
        b'b{x="' + b'\\"' * 8000 + b'"} 1\n',
        b"b{" + b"," * 16000 + b"} 1\n",
        b"b" * 8_000_000,
        b"\n" * 8_000_000,
        b"bb 1\n" * 1_600_000,
        b"b 1\n" * 20_000,
    ],
    ids=["quotes", "commas", "one line", "empty lines", "other names", "many samples"],
)
def test_a_hostile_exposition_costs_little(document: bytes) -> None:
    start = time.process_time()
    with suppress(ExpositionError):  # refusing it is as good
        parse(document, WANTED)
    assert time.process_time() - start < 3.0


@given(st.lists(st.sampled_from(list(b'{}="\\,# \t\n10.ebx\xffNa')), max_size=60).map(bytes))
def test_whatever_comes_is_read_or_refused(noise: bytes) -> None:
    with suppress(ExpositionError):
        parse(b"b" + noise, WANTED)


async def test_a_recorded_exposition_is_fetched_uncompressed() -> None:
    hosts = Hosts({"http://e/metrics": text(exposition("vllm-0.32-plain"))})
    async with hosts.client() as client:
        samples = await fetch(client, "http://e/metrics", frozenset({"vllm:prompt_tokens_total"}))
    assert samples.total("vllm:prompt_tokens_total") == 5800.0


@pytest.mark.parametrize(
    ("answer", "complaint"),
    [
        (json(b"{}"), "is no exposition"),
        (text(b"b 1\n" * 2000), "more than 5000 bytes"),
        (text(gzip.compress(b"b 1\n"), **{"content-encoding": "gzip"}), "compressed"),
    ],
)
async def test_an_answer_that_is_no_bounded_exposition_is_refused(answer: object, complaint: str) -> None:
    hosts = Hosts({"http://e/metrics": answer})  # type: ignore[dict-item]  # parametrized values have no type
    async with hosts.client() as client:
        with pytest.raises(ExpositionError, match=complaint):
            await fetch(client, "http://e/metrics", WANTED, Limits(document_bytes=5000))


async def test_an_error_status_is_an_error() -> None:
    hosts = Hosts({"http://e/metrics": lambda: httpx.Response(503)})
    async with hosts.client() as client:
        with pytest.raises(httpx.HTTPStatusError):
            await fetch(client, "http://e/metrics", WANTED)


async def test_json_is_decoded_or_refused() -> None:
    hosts = Hosts({"http://e/version": json(b'{"version": "0.32.0"}'), "http://e/deep": json(b"[" * 100_000)})
    async with hosts.client() as client:
        assert await fetch_json(client, "http://e/version") == {"version": "0.32.0"}
        with pytest.raises(ExpositionError, match="not JSON"):
            await fetch_json(client, "http://e/deep")


async def test_a_long_document_is_parsed_in_turns_with_the_others() -> None:
    hosts = Hosts({"http://long/metrics": text(b"b 1\n" * 50), "http://short/metrics": text(b"b 1\n")})
    turn, read = asyncio.Lock(), list[str]()

    async def one(client: httpx.AsyncClient, host: str) -> None:
        await fetch(client, f"http://{host}/metrics", WANTED, Limits(piece_bytes=1), turn=turn)
        read.append(host)

    async with hosts.client() as client:
        await asyncio.gather(one(client, "long"), one(client, "short"))
    assert read == ["short", "long"]


def test_pieces_lose_no_line() -> None:
    document = b"".join(b'b{x="%d"} 1\n' % number for number in range(7))
    assert [list(parse(document, WANTED, Limits(piece_bytes=size))) for size in (1, 25)] == 2 * [list(parse(document, WANTED))]
