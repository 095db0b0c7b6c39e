"""How each quantity of one target is known: the table behind `kvdeck exporter explain`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import httpx
import msgspec
from rich.console import Console
from rich.table import Table

from stack.adapters.engine_version import engine_version
from stack.adapters.exposition import fetch
from stack.engines.quantities import Resolved
from stack.engines.samples import Histogram
from stack.engines.versions import version as numbers
from stack.engines.vllm import WANTED, read
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
    """One engine's quantities; `version` is None where it does not say."""

    version: str | None
    rows: list[Row]


async def explain(url: str, seconds: float, transport: httpx.AsyncBaseTransport | None = None) -> Explanation:
    """Read the engine at `url` once. Raises ExpositionError, httpx.HTTPError."""
    async with httpx.AsyncClient(transport=transport, trust_env=False, timeout=seconds) as client:
        samples = await fetch(client, f"{url}/metrics", WANTED, plain=plain)
        told = await engine_version(client, url)
    return Explanation(told, [_row(one) for one in read(samples, numbers(told)).quantities])


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
    return msgspec.json.encode({"version": found.version, "quantities": found.rows}).decode()


def show(found: Explanation, console: Console) -> None:
    """The explanation as a table; what is absent says why."""
    console.print(f"vLLM {found.version or 'of a version it does not tell'}")
    table = Table("quantity", "state", "value", "from, or why not", box=None, pad_edge=False)
    for row in found.rows:
        table.add_row(row.quantity, row.state, _amount(row), row.reason or row.source)
    console.print(table)
    console.print(_summary(found.rows))


def _amount(row: Row) -> str:
    if row.value is None:
        return ""
    said = f"{row.value:,.6g} {row.unit}".rstrip()
    return said if row.count is None else f"{said} in {row.count:,.0f}"


def _summary(rows: Iterable[Row]) -> str:
    states = [row.state for row in rows]
    return ", ".join(f"{states.count(state)} {state}" for state in dict.fromkeys(states))
