"""Prometheus' own log of queries: which ones the dashboard asked, and what they took."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime

import msgspec

QUIET_S = 1.0  # refreshes are seconds apart; what follows sooner belongs to the one before


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    """One query over HTTP. `at` is Unix seconds, `seconds` what Prometheus needed, `path` the API's."""

    at: float
    path: str
    query: str
    seconds: float


class _Params(msgspec.Struct):
    query: str


class _Timings(msgspec.Struct):
    exec_total: float = msgspec.field(name="execTotalTime", default=0.0)


class _Stats(msgspec.Struct):
    timings: _Timings


class _Request(msgspec.Struct):
    path: str


class _Line(msgspec.Struct):
    params: _Params
    stats: _Stats
    ts: str
    request: _Request | None = msgspec.field(name="httpRequest", default=None)


def asked(lines: Iterable[str]) -> Iterator[Asked]:
    """The queries that came over HTTP, in the log's order; those of rules are Prometheus' own. Raises msgspec.DecodeError."""
    for line in lines:
        said = msgspec.json.decode(line, type=_Line)
        if said.request is not None:
            at = msgspec.convert(said.ts, type=datetime, strict=False).timestamp()
            yield Asked(at=at, path=said.request.path, query=said.params.query, seconds=said.stats.timings.exec_total)


def refreshes(queries: Sequence[Asked]) -> Iterator[list[Asked]]:
    """The queries of one open page, each refresh's together."""
    group: list[Asked] = []
    for one in queries:
        if group and one.at - group[-1].at > QUIET_S:
            yield group
            group = []
        group.append(one)
    if group:
        yield group


def naming(queries: Iterable[Asked], replicas: Iterable[str]) -> list[str]:
    """Those queries that name an engine: a page asks of pools and models, never of one engine after another."""
    quoted = [f'"{replica}"' for replica in replicas]
    return [one.query for one in queries if any(name in one.query for name in quoted)]
