"""PromQL out of families: selectors, sums, rates, quantiles. Label values are escaped here and nowhere else."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from stack.metrics.family import Family, Kind, Label

Where = Mapping[Label, str]
EVERYWHERE: Where = {}


def selector(family: Family, where: Where = EVERYWHERE, part: str = "", window: str = "") -> str:
    """`name{label="value"}[window]`; `part` is a histogram's `_bucket`, `_sum` or `_count`. Raises ValueError.

    A label that the family does not carry would select nothing, silently: it is refused.
    """
    if unknown := sorted(set(where) - set(family.labels)):
        raise ValueError(f"{family.name} has no label {unknown[0]}")
    if bool(part) is not (family.kind is Kind.HISTOGRAM):
        raise ValueError(f"{family.name} is a {family.kind}: part {part!r}")
    matchers = ",".join(f'{label}="{_escaped(value)}"' for label, value in where.items())
    return f"{family.name}{part}{{{matchers}}}" + (f"[{window}]" if window else "")


def rate(family: Family, by: Iterable[Label], where: Where, window: str, part: str = "") -> str:
    """The family's rate a second, summed to `by`."""
    return total(f"rate({selector(family, where, part, window)})", by)


def total(expression: str, by: Iterable[Label]) -> str:
    """`sum by (...) (expression)`."""
    return aggregate("sum", expression, by)


def aggregate(how: str, expression: str, by: Iterable[Label]) -> str:
    """`how by (...) (expression)`, such as `max by (tier) (...)`."""
    labels = ", ".join(by)
    return f"{how} by ({labels}) ({expression})" if labels else f"{how}({expression})"


def ratio(above: str, below: str) -> str:
    """`above / below` where `below` is positive; nothing where it is 0: no events, no ratio."""
    return f"{above} / ({below} > 0)"


def quantile(q: float, family: Family, by: Iterable[Label], where: Where, window: str) -> str:
    """The `q` quantile of a histogram, from 0 to 1."""
    labels = ", ".join(["le", *by])
    return f"histogram_quantile({q}, sum by ({labels}) (rate({selector(family, where, '_bucket', window)})))"


def _escaped(value: str) -> str:
    return value.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")
