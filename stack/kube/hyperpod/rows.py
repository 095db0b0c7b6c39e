"""What is found out about one field."""

from __future__ import annotations

from enum import StrEnum

import msgspec


class Standing(StrEnum):
    """How what is seen stands to what is wanted."""

    EQUAL = "equal"
    DIFFERS = "differs"
    UNKNOWN = "unknown"


class Finding(StrEnum):
    """Known faults of operators, by name."""

    REDIS_IGNORED = "redis_ignored"
    VARIABLES_STRIPPED = "variables_stripped"
    UNDOCUMENTED_PAIR = "undocumented_pair"
    IMMUTABLE = "immutable"


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """One field: `wanted` by the document, `seen` (null where it is unknown), and by what evidence, or why not."""

    field: str
    standing: Standing
    wanted: str
    seen: str | None
    evidence: str
    finding: Finding | None = None


def row(field: str, wanted: object, seen: object, evidence: str, finding: Finding | None = None) -> Row:
    """Equal where both are the same words."""
    standing = Standing.EQUAL if text(wanted) == text(seen) else Standing.DIFFERS
    return Row(field=field, standing=standing, wanted=text(wanted), seen=text(seen), evidence=evidence, finding=finding)


def unknown(field: str, wanted: object, why: str, finding: Finding | None = None) -> Row:
    """It cannot be seen."""
    return Row(field=field, standing=Standing.UNKNOWN, wanted=text(wanted), seen=None, evidence=why, finding=finding)


def text(value: object) -> str:
    """As in YAML, more or less."""
    if isinstance(value, bool):
        return "on" if value else "off"
    return "none" if value is None else str(value)
