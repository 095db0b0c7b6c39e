"""The README's table of metrics, generated from the catalogue."""

from __future__ import annotations

from collections.abc import Iterable

from stack.metrics.family import Family

BEGIN = "<!-- metrics:begin -->"
END = "<!-- metrics:end -->"

_COLUMNS = ("family", "kind", "unit", "emitter", "labels", "meaning")


def table(families: Iterable[Family]) -> str:
    """A Markdown table, one row a family, in the given order."""
    rows = [_row(_COLUMNS), _row("---" for _ in _COLUMNS), *(_row(_cells(family)) for family in families)]
    return "\n".join(rows) + "\n"


def block(document: str) -> str:
    """What stands between the two markers in `document`. Raises ValueError when a marker is missing."""
    _, begin, rest = document.partition(BEGIN + "\n")
    inside, end, _ = rest.partition(END)
    if not (begin and end):
        raise ValueError(f"no {BEGIN} ... {END}")
    return inside


def with_block(document: str, content: str) -> str:
    """`document` with `content` between its markers. Raises ValueError when a marker is missing."""
    return document.replace(f"{BEGIN}\n{block(document)}{END}", f"{BEGIN}\n{content}{END}")


def _cells(family: Family) -> tuple[str, ...]:
    labels = ", ".join(f"`{label}`" for label in family.labels)
    return (f"`{family.name}`", family.kind, family.unit or "-", family.emitter, labels or "-", family.help.replace("|", r"\|"))


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"
