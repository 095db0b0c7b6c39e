"""The part of the values' schema that follows from the rules: which alerts there are, and which numbers each has."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from copy import deepcopy
from typing import Any

Json = dict[str, Any]
_FOR = {"type": "string", "pattern": "^([0-9]+(ms|s|m|h|d|w))+$"}
_TEXTS = {"type": "object", "additionalProperties": {"type": "string"}}
_SEVERITY = {"enum": ["critical", "warning", "info"]}


def with_alerts(schema: Json, alerts: Iterable[str], thresholds: Mapping[str, Sequence[Json]]) -> Json:
    """`schema` for these alerts; what it held of others is gone. A typo in a name or a threshold is refused by Helm."""
    names = sorted(set(alerts))
    changed = deepcopy(schema)
    changed["definitions"]["alert"]["enum"] = names
    overrides = changed["properties"]["prometheusRule"]["properties"]["overrides"]
    overrides["properties"] = {name: _override(thresholds.get(name, ())) for name in names}
    return changed


def text(schema: Json) -> str:
    """The schema's file."""
    return json.dumps(schema, indent=2) + "\n"


def _override(rows: Sequence[Json]) -> Json:
    properties: Json = {"for": _FOR, "severity": _SEVERITY, "annotations": _TEXTS}
    if rows:
        named = {row["name"]: {"type": "number"} for row in rows}
        by_name = {"type": "object", "additionalProperties": False, "minProperties": 1, "properties": named}
        properties["threshold"] = {"anyOf": [{"type": "number"}, by_name]}
    return {"type": "object", "additionalProperties": False, "properties": properties}
