"""PromQL out of families: selectors, sums, rates, quantiles. Label values are escaped here and nowhere else."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from stack.metrics.family import ATTACHED, Family, Kind, Label


@dataclass(frozen=True, slots=True)
class Pattern:
    """A label's value as a regular expression, or a variable that Grafana makes one of; written as it is."""

    text: str


Where = Mapping[Label, str | Pattern]
EVERYWHERE: Where = {}

KEPT = (Label.CLUSTER, Label.NAMESPACE)
"""Every aggregate keeps these, so that fleets are never added up; where nobody attaches them they change nothing."""


def selector(family: Family, where: Where = EVERYWHERE, part: str = "", window: str = "") -> str:
    """`name{label="value"}[window]`; `part` is a histogram's `_bucket`, `_sum` or `_count`. Raises ValueError.

    A label that the family does not carry would select nothing, silently: it is refused.
    """
    if unknown := sorted(set(where) - set(family.labels) - set(ATTACHED)):
        raise ValueError(f"{family.name} has no label {unknown[0]}")
    if bool(part) is not (family.kind is Kind.HISTOGRAM):
        raise ValueError(f"{family.name} is a {family.kind}: part {part!r}")
    return f"{family.name}{part}{{{matchers(where)}}}" + (f"[{window}]" if window else "")


def matchers(where: Where) -> str:
    """What stands between a selector's braces."""
    return ",".join(
        f'{label}=~"{value.text}"' if isinstance(value, Pattern) else f'{label}="{_escaped(value)}"'
        for label, value in where.items()
    )


def loosely(where: Where, *labels: Label) -> Where:
    """`where`, but that series without one of `labels` stay: what several models share is each of theirs."""
    return {
        label: Pattern(f"{_escaped(re.escape(value))}|") if label in labels and isinstance(value, str) else value
        for label, value in where.items()
    }


def one_of(values: Iterable[str]) -> Pattern:
    """Any of `values`, each as it is written."""
    return Pattern("|".join(_escaped(re.escape(value)) for value in sorted(values)))


def known(where: Where, family: Family) -> Where:
    """What of `where` the family can be narrowed by, for questions that join several families."""
    return {label: value for label, value in where.items() if label in family.labels or label in ATTACHED}


def rate(family: Family, by: Iterable[Label], where: Where, window: str, part: str = "") -> str:
    """The family's rate a second, summed to `by`."""
    return total(f"rate({selector(family, where, part, window)})", by)


def total(expression: str, by: Iterable[Label]) -> str:
    """`sum by (...) (expression)`."""
    return aggregate("sum", expression, by)


def aggregate(how: str, expression: str, by: Iterable[Label]) -> str:
    """`how by (...) (expression)`, such as `max by (cluster, namespace, tier) (...)`."""
    return f"{how} by ({', '.join([*KEPT, *by])}) ({expression})"


def at_most(bound: float, family: Family, by: Iterable[Label], where: Where, window: str) -> str:
    """The rate a second of a histogram's samples of at most `bound`, which is one of its buckets. Raises ValueError."""
    if bound not in family.buckets:
        raise ValueError(f"{family.name} has no bucket {bound}")
    name, _, narrowed = selector(family, where, "_bucket", window).partition("{")
    return total(f'rate({name}{{le="{bound}",{narrowed})', by)


def worst(count: int, expression: str) -> str:
    """The `count` greatest series of `expression`: a fleet of a thousand engines is not a thousand rows."""
    return f"topk({count}, {expression})"


def ratio(above: str, below: str) -> str:
    """`above / below` where `below` is positive; nothing where it is 0: no events, no ratio."""
    return f"{above} / ({below} > 0)"


def quantile(q: float, family: Family, by: Iterable[Label], where: Where, window: str) -> str:
    """The `q` quantile of a histogram, from 0 to 1."""
    return quantile_of(q, f"rate({selector(family, where, '_bucket', window)})", by)


def quantile_of(q: float, buckets: str, by: Iterable[Label]) -> str:
    """The `q` quantile of rates of a histogram's buckets."""
    return f"histogram_quantile({q}, sum by ({', '.join(['le', *KEPT, *by])}) ({buckets}))"


def named(expression: str, label: Label, value: str) -> str:
    """`expression` with `label` set to `value` on all of its series."""
    return f'label_replace({expression}, "{label}", "{_escaped(value)}", "", "")'


def renamed(expression: str, label: Label, source: str, form: str = "$1") -> str:
    """`expression` with `label` set to what its series have in the label `source`, for which `$1` stands in `form`."""
    return f'label_replace({expression}, "{label}", "{form}", "{source}", "(.*)")'


def either(first: str, second: str, on: Iterable[Label]) -> str:
    """`first`, and of `second` what `first` tells nothing of: those whose labels `on` are not there."""
    return f"{first} or on ({', '.join(on)}) {second}"


def _escaped(value: str) -> str:
    return value.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")
