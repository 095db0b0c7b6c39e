"""Expositions of LMCache that were not recorded, written from the tables of its names. They say so themselves."""

from collections.abc import Sequence

from stack.engines.quantities import Alias, Fold, Quantity
from stack.engines.versions import Version, text
from stack.metrics.family import Unit

# What a name's series are told apart by, where that is no tenant or worker: one value that is known and one that is not.
_SPLITS = {
    "allocation_failure": ("during", ("l1_store", "new")),
    "read_failure": ("reason", ("not_found", "new")),
    "prefetch_failure": ("reason", ("not_found", "new")),
    "early_exit": ("reason", ("no_gpu_context", "new")),
    "transfer_phase": ("direction", ("h2d", "d2h")),
    "store_completed": ("l2_name", ("resp", "fs")),
    "key_directory": ("tier", ("l1", "l2")),
}


def amount(quantities: Sequence[Quantity], quantity: Quantity) -> float:
    """What a synthetic LMCache says of `quantity` for each of its series, in the quantity's unit: another number for each,
    below 1 where it is a ratio."""
    number = 1000.0 + 16.0 * quantities.index(quantity)
    return number / 10_000.0 if quantity.unit is Unit.RATIO else number


def exposition(quantities: Sequence[Quantity], version: Version) -> bytes:
    """All names that `version` has for `quantities`, with two workers and a tenant where LMCache has them."""
    lines = [f"# SYNTHETIC: written from a table of names, LMCache {text(version)} never ran here", "process_start_time_seconds 1"]
    for quantity in quantities:
        lines += [line for alias in quantity.aliases if alias.of(version) for line in _lines(quantities, quantity, alias)]
    return "\n".join([*lines, ""]).encode()


def _lines(quantities: Sequence[Quantity], quantity: Quantity, alias: Alias) -> list[str]:
    value = amount(quantities, quantity) / alias.scale
    labels = 'model_name="/models/smollm2",cache_salt="tenant"'
    if alias.where is not None:
        labels += f',{alias.where[0]}="{alias.where[1]}"'
    if quantity.fold is Fold.HISTOGRAM:
        parts = [("_bucket", ',le="1.0"', 1.0), ("_bucket", ',le="+Inf"', 2.0), ("_count", "", 2.0), ("_sum", "", value)]
        return [f"{alias.name}{part}{{{labels}{le}}} {number}" for part, le, number in parts]
    label, values = next((split for part, split in _SPLITS.items() if part in alias.name), ("worker_id", ("0", "1")))
    return [
        f'{alias.name}{{{labels},{label}="{each}"}} {value if quantity.fold is Fold.MEAN else value / len(values)}'
        for each in values
    ]
