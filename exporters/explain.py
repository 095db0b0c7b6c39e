"""How each quantity of one target is known: the table behind `kvdeck exporter explain`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import httpx
import msgspec
from rich.console import Console
from rich.table import Table

from stack.adapters.engine_version import engine_version
from stack.adapters.exposition import ExpositionError, fetch
from stack.engines import lmcache, vllm, vllm_page
from stack.engines.lmcache import Mode
from stack.engines.quantities import Resolved
from stack.engines.samples import Histogram
from stack.engines.versions import version as numbers
from stack.engines.vllm_names import plain


class Row(msgspec.Struct, frozen=True):
    """One quantity. `value` of a histogram is its sum, and `count` how many it has seen."""

    quantity: str
    unit: str
    state: str
    value: float | None
    count: float | None
    source: str | None
    reason: str | None


@dataclass(frozen=True, slots=True)
class Explanation:
    """One target's quantities. `version` is None where it does not say it, `doubts` are why its counters are too low."""

    target: str
    version: str | None
    rows: list[Row]
    doubts: tuple[str, ...] = ()


_LMCACHE = {
    Mode.MULTI_PROCESS: "LMCache's server",
    Mode.IN_PROCESS: "LMCache inside an engine",
    Mode.CONTROLLER: "LMCache's controller",
    Mode.COORDINATOR: "LMCache's coordinator",
}


async def explain(url: str, seconds: float, transport: httpx.AsyncBaseTransport | None = None) -> Explanation:
    """Read the engine or LMCache at `url` once. Raises ExpositionError, httpx.HTTPError."""
    async with httpx.AsyncClient(transport=transport, trust_env=False, timeout=seconds) as client:
        samples = await fetch(client, f"{url}/metrics", vllm.WANTED | lmcache.WANTED, plain=plain)
        cache = lmcache.read(samples)
        if vllm_page.fault(samples) is None:
            told = await engine_version(client, url)
            within = [*cache.exposed.all.values()] if cache.mode is Mode.IN_PROCESS else []
            return Explanation("vLLM", told, [_row(one) for one in [*vllm.read(samples, numbers(told)).quantities, *within]])
    if cache.mode is Mode.SILENT:
        raise ExpositionError("nothing of vLLM, and nothing of LMCache, which is silent before its first look-up")
    doubts = tuple(reason for reason, doubtful in cache.doubts.items() if doubtful)
    return Explanation(_LMCACHE[cache.mode], None, [_row(one) for one in cache.exposed.all.values()], doubts)


def _row(one: Resolved) -> Row:
    histogram = one.value if isinstance(one.value, Histogram) else None
    return Row(
        quantity=one.quantity.name,
        unit=one.quantity.unit.value,
        state=one.state.value,
        value=one.number if histogram is None else histogram.sum,
        count=None if histogram is None else histogram.count,
        source=one.source,
        reason=one.reason or None,
    )


def as_json(found: Explanation) -> str:
    """The whole explanation as one document."""
    document = {"target": found.target, "version": found.version, "doubts": found.doubts, "quantities": found.rows}
    return msgspec.json.encode(document).decode()


def show(found: Explanation, console: Console) -> None:
    """The explanation as a table; what is absent says why."""
    console.print(f"{found.target} {found.version or 'of a version it does not tell'}")
    table = Table("quantity", "state", "value", "from, or why not", box=None, pad_edge=False)
    for row in found.rows:
        table.add_row(row.quantity, row.state, _amount(row), row.reason or row.source)
    console.print(table)
    console.print(_summary(found.rows))
    if found.doubts:
        console.print(f"its counters are too low: {', '.join(found.doubts)}")


def _amount(row: Row) -> str:
    if row.value is None:
        return ""
    said = f"{row.value:,.6g} {row.unit}".rstrip()
    return said if row.count is None else f"{said} in {row.count:,.0f}"


def _summary(rows: Iterable[Row]) -> str:
    states = [row.state for row in rows]
    return ", ".join(f"{states.count(state)} {state}" for state in dict.fromkeys(states))
