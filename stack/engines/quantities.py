"""One quantity under the names that versions of its source gave it: what it is now, and how that is known.

A source renames, hides and drops its metrics, and keeps a name while its unit changes. A quantity knows all of that, and
says for one exposition which name it was read from, in which state it is, and why there is no value when there is none.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from stack.engines.samples import Histogram, Samples
from stack.engines.versions import Version, text
from stack.metrics.family import Unit

# What rounding may make of 1.
_MOST_RATIO = 1.01


class State(StrEnum):
    """How a value is known. STALE and RESET take two expositions to tell."""

    PRESENT = "present"  # under its newest name
    RENAMED = "renamed"  # under a name of older versions
    HIDDEN = "hidden"  # this version has it, and shows it only with a flag
    ABSENT = "absent"
    NOT_APPLICABLE = "not_applicable"  # of a feature that is not in use
    STALE = "stale"  # told, but not refreshed
    RESET = "reset"  # a counter that begins anew


class Fold(StrEnum):
    """How the series of several ranks become one."""

    TOTAL = "total"
    COUNTER = "counter"  # a total that only grows
    MEAN = "mean"
    HISTOGRAM = "histogram"


@dataclass(frozen=True, slots=True)
class Alias:
    """One name, as exposed (a histogram without its suffixes), in versions from `since` to before `until`.

    `where` is a label and its value that a series must have. `in_blocks`: it counts blocks of KV cache, and is told in tokens.
    `hidden` is the version from which it needs `--show-hidden-metrics-for-version`. `scale` makes the quantity's unit of its own.
    """

    name: str
    since: Version
    until: Version | None = None
    where: tuple[str, str] | None = None
    in_blocks: bool = False
    hidden: Version | None = None
    scale: float = 1.0

    def of(self, version: Version) -> bool:
        """A source of this version has the name."""
        return self.since <= version and (self.until is None or version < self.until)


@dataclass(frozen=True, slots=True)
class Quantity:
    """What is asked for. `aliases` newest first; `needs` says when a version that has it shows nothing all the same.

    `featured`: what it `needs` is a way of working, not a flag that shows it: without that there is nothing to tell.
    `stepped`: the source refreshes it only when it works, so it stands still when that hangs. `buckets`: a histogram's are read.
    `beside`: a counter that is told from its first count on, so that silence means 0 beside this name, and nothing without it.
    """

    name: str
    unit: Unit
    fold: Fold
    aliases: tuple[Alias, ...]
    needs: str = ""
    featured: bool = False
    stepped: bool = False
    buckets: bool = True
    beside: str | None = None

    @property
    def names(self) -> frozenset[str]:
        """Every sample name it may be read from."""
        parts = ("",) if self.fold is not Fold.HISTOGRAM else ("_sum", "_count", *(["_bucket"] if self.buckets else []))
        own = {f"{alias.name}{part}" for alias in self.aliases for part in parts}
        return frozenset(own if self.beside is None else own | {self.beside})


@dataclass(frozen=True, slots=True)
class Resolved:
    """A quantity in one exposition. Without a `value`, `reason` says why."""

    quantity: Quantity
    state: State
    value: float | Histogram | None = None
    source: str | None = None
    reason: str = ""

    @property
    def number(self) -> float | None:
        """The value of what is no histogram."""
        return None if isinstance(self.value, Histogram) else self.value

    @property
    def histogram(self) -> Histogram | None:
        """The value of what is one."""
        return self.value if isinstance(self.value, Histogram) else None


def resolve(quantity: Quantity, samples: Samples, version: Version | None, block_tokens: float | None = None) -> Resolved:
    """`quantity` in one exposition of a source of `version` (None: not known), whose KV blocks have `block_tokens` tokens."""
    alias = next((alias for alias in quantity.aliases if _told(quantity, alias, samples)), None)
    if alias is None:
        return _none_yet(quantity, samples) or _missing(quantity, version)
    meanings = [each for each in quantity.aliases if each.name == alias.name and each.where == alias.where]
    if len(meanings) > 1:
        if version is None:
            return Resolved(quantity, State.ABSENT, None, alias.name, "blocks or tokens: the version is not known")
        alias = next((each for each in meanings if each.of(version)), meanings[0])
    if alias.in_blocks and block_tokens is None:
        return Resolved(quantity, State.ABSENT, None, alias.name, "counted in blocks whose size is not known")
    value = _value(quantity, alias, samples)
    if alias.in_blocks and isinstance(value, float) and block_tokens is not None:
        value *= block_tokens
    if quantity.unit is Unit.RATIO and isinstance(value, float) and value > _MOST_RATIO:
        return Resolved(quantity, State.ABSENT, None, alias.name, "more than 1, and so no ratio")
    renamed = alias.name != quantity.aliases[0].name
    return Resolved(quantity, State.RENAMED if renamed else State.PRESENT, value, alias.name)


def _told(quantity: Quantity, alias: Alias, samples: Samples) -> bool:
    return _value(quantity, alias, samples) is not None


def _value(quantity: Quantity, alias: Alias, samples: Samples) -> float | Histogram | None:
    match quantity.fold:
        case Fold.HISTOGRAM:
            histogram = samples.histogram(alias.name)
            return histogram if histogram is None or alias.scale == 1.0 else histogram.scaled(alias.scale)
        case Fold.MEAN:
            return _scaled(samples.mean(alias.name), alias)
        case _ if alias.where is None:
            return _scaled(samples.total(alias.name), alias)
        case _:
            label, value = alias.where
            return _scaled(samples.by(label, alias.name).get(value), alias)


def _scaled(number: float | None, alias: Alias) -> float | None:
    return None if number is None else number * alias.scale


def _none_yet(quantity: Quantity, samples: Samples) -> Resolved | None:
    if quantity.beside is None or not samples.of(quantity.beside):
        return None
    return Resolved(quantity, State.PRESENT, 0.0, quantity.beside)


def _missing(quantity: Quantity, version: Version | None) -> Resolved:
    silent = Resolved(quantity, State.NOT_APPLICABLE if quantity.featured else State.ABSENT, reason=quantity.needs or "not told")
    if version is None:
        return silent
    known = [alias for alias in quantity.aliases if alias.of(version)]
    if not known:
        return Resolved(quantity, State.ABSENT, reason=_other_versions(quantity.aliases, version))
    if all(alias.hidden is not None and alias.hidden <= version for alias in known):
        return Resolved(quantity, State.HIDDEN, reason=f"{known[0].name} needs --show-hidden-metrics-for-version")
    return silent


def _other_versions(aliases: Sequence[Alias], version: Version) -> str:
    later = [alias.since for alias in aliases if alias.since > version]
    if later:
        return f"{text(version)} does not have it; versions from {text(min(later))} on do"
    return f"{text(version)} does not have it any more"
