"""Reads a Prometheus text exposition that may be huge, slow or hostile: bounded, or refused."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Iterator
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass
from functools import lru_cache

import httpx
import msgspec

from stack.adapters.sample_lines import sample
from stack.engines.samples import Sample, Samples

_NAMED = re.compile(rb"^([a-zA-Z_:][^{ \t\n]*+)[{ \t][^\n]*+", re.MULTILINE)
_TEXT_TYPES = ("text/plain", "application/openmetrics-text")


@dataclass(frozen=True, slots=True)
class Limits:
    """What one exposition may cost. A vLLM 0.32 engine's has 80 KB, its longest line 2 KB."""

    document_bytes: int = 8 * 1024 * 1024
    line_bytes: int = 16 * 1024
    samples: int = 20_000
    piece_bytes: int = 64 * 1024


class ExpositionError(ValueError):
    """An answer that is no exposition, or more of one than the limits allow."""


def parse(document: bytes, wanted: frozenset[str], limits: Limits = Limits()) -> Samples:
    """The samples whose names are `wanted`; other lines are skipped unread. Raises ExpositionError."""
    return Samples(sample for piece in _pieces(document, wanted, limits) for sample in _samples(piece))


async def fetch(
    client: httpx.AsyncClient,
    url: str,
    wanted: frozenset[str],
    limits: Limits = Limits(),
    plain: Callable[[bytes], bytes] = bytes,
    turn: AbstractAsyncContextManager[object] | None = None,
) -> Samples:
    """The exposition at `url`, after `plain` has put its names right. The deadline is the caller's.

    A lock as `turn` lets one piece of a document be parsed each time the loop goes round, however many came at once: what
    takes a hostile one seconds is not taken from the others. Raises ExpositionError, httpx.HTTPError.
    """
    content_type, document = await _get(client, url, limits.document_bytes)
    if not content_type.startswith(_TEXT_TYPES):
        raise ExpositionError(f"content type {content_type[:40]!r} is no exposition")
    found: list[Sample] = []
    for piece in _pieces(plain(document), wanted, limits):
        async with turn or nullcontext():
            found += _samples(piece)
        await asyncio.sleep(0)
    return Samples(found)


async def fetch_json(client: httpx.AsyncClient, url: str, limits: Limits = Limits()) -> object:
    """The JSON document at `url`. The deadline is the caller's. Raises ExpositionError, httpx.HTTPError."""
    _, document = await _get(client, url, limits.document_bytes)
    try:
        answer: object = msgspec.json.decode(document)
    except (msgspec.DecodeError, RecursionError) as error:
        raise ExpositionError("not JSON") from error
    return answer


async def _get(client: httpx.AsyncClient, url: str, limit: int) -> tuple[str, bytes]:
    # Uncompressed and counted as it comes: a small compressed body could unpack to any size.
    async with client.stream("GET", url, headers={"accept-encoding": "identity"}) as response:
        response.raise_for_status()
        if response.headers.get("content-encoding", "identity") != "identity":
            raise ExpositionError("compressed though asked not to")
        document = bytearray()
        async for chunk in response.aiter_raw():
            document += chunk
            if len(document) > limit:
                raise ExpositionError(f"more than {limit} bytes")
        return response.headers.get("content-type", ""), bytes(document)


def _pieces(document: bytes, wanted: frozenset[str], limits: Limits) -> Iterator[list[bytes]]:
    """The wanted lines, some at a time: as many as are parsed in hundredths of a second whatever is in them."""
    if len(document) > limits.document_bytes:
        raise ExpositionError(f"more than {limits.document_bytes} bytes")
    names = _encoded(wanted)
    piece: list[bytes] = []
    lines = size = 0
    for match in _NAMED.finditer(document):
        if match[1] not in names:
            continue
        if len(match[0]) > limits.line_bytes:
            raise ExpositionError(f"a line of more than {limits.line_bytes} bytes")
        lines, size = lines + 1, size + len(match[0])
        if lines > limits.samples:
            raise ExpositionError(f"more than {limits.samples} samples")
        piece.append(match[0])
        if size > limits.piece_bytes:
            yield piece
            piece, size = [], 0
    yield piece


def _samples(lines: list[bytes]) -> list[Sample]:
    try:
        return [sample(line.decode()) for line in lines]
    except ValueError as error:  # undecodable text is one, too
        raise ExpositionError(f"not a Prometheus exposition: {type(error).__name__}") from error


@lru_cache(maxsize=16)
def _encoded(wanted: frozenset[str]) -> frozenset[bytes]:
    return frozenset(name.encode() for name in wanted)
