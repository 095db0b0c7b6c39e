"""Expositions of vLLM versions that were not recorded, written from the table of what each version has. They say so themselves."""

import json
from functools import cache

from stack.engines.quantities import Alias, Fold, Quantity
from stack.engines.versions import Version, text
from stack.engines.versions import version as numbers
from stack.engines.vllm_quantities import QUANTITIES
from stack.metrics.family import Unit
from tests.exporters.recorded import DATA

BLOCK_TOKENS = 16.0


@cache
def spans() -> dict[str, tuple[Version, Version]]:
    """First and last inspected version of every name, as exposed, a histogram without its suffixes."""
    table: dict[str, tuple[str, str]] = json.loads((DATA / "vllm_metric_versions.json").read_text())
    found: dict[str, tuple[Version, Version]] = {}
    for name, (first, last) in table.items():
        span = (numbers(first) or (), numbers(last) or ())
        for exposed in {name, name if name.endswith("_total") else f"{name}_total"}:
            known = found.get(exposed, span)
            found[exposed] = (min(known[0], span[0]), max(known[1], span[1]))
    return found


@cache
def versions() -> tuple[Version, ...]:
    """Every version at which some name begins or ends: each differs from the one before."""
    return tuple(sorted({version for span in spans().values() for version in span}))


def amount(quantity: Quantity) -> float:
    """What a synthetic engine says of `quantity`: another number for each, below 1 where it is a ratio."""
    number = 1000.0 + 16.0 * QUANTITIES.index(quantity)
    return number / 10_000.0 if quantity.unit is Unit.RATIO else number


def exposition(version: Version, *, hidden: bool = True) -> bytes:
    """One rank's exposition, with all its features on. `hidden`: names that need a flag there are shown."""
    lines = [f"# SYNTHETIC: written from a table of names, vLLM {text(version)} never ran here"]
    lines += [f'vllm:cache_config_info{{engine="0",block_size="{BLOCK_TOKENS:g}"}} 1']
    for quantity in QUANTITIES:
        lines += [line for alias in quantity.aliases if _shown(alias, version, hidden) for line in _lines(quantity, alias)]
    return "\n".join([*lines, ""]).encode()


def has(alias: Alias, version: Version) -> bool:
    """That version has the name, and means by it what `alias` does."""
    first, last = spans()[alias.name.removesuffix("_sum")]
    return first <= version <= last and alias.of(version)


def _shown(alias: Alias, version: Version, hidden: bool) -> bool:
    return has(alias, version) and (hidden or alias.hidden is None or version < alias.hidden)


def _lines(quantity: Quantity, alias: Alias) -> list[str]:
    value = amount(quantity)
    labels = 'engine="0",model_name="m"' + ("" if alias.where is None else f',{alias.where[0]}="{alias.where[1]}"')
    if quantity.fold is not Fold.HISTOGRAM:
        return [f"{alias.name}{{{labels}}} {value / BLOCK_TOKENS if alias.in_blocks else value}"]
    parts = [
        ("_bucket", f'{labels},le="1.0"', 1.0),
        ("_bucket", f'{labels},le="+Inf"', 2.0),
        ("_count", labels, 2.0),
        ("_sum", labels, value),
    ]
    return [f"{alias.name}{part}{{{at}}} {number}" for part, at, number in parts]
