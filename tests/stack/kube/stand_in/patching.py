"""How the kinds of patches change an object."""

from __future__ import annotations

from typing import Any

MERGE, STRATEGIC, APPLY = "application/merge-patch+json", "application/strategic-merge-patch+json", "application/apply-patch+yaml"

# By what the items of a list are told apart in a strategic merge; only the lists that tests patch.
_KEYS = {"conditions": "type", "containers": "name", "env": "name", "podIPs": "ip"}


def strategically_merged(target: Any, patch: Any, under: str = "") -> Any:
    """As a merge patch, and lists whose items have a key are merged item by item."""
    if isinstance(patch, list) and under in _KEYS:
        key = _KEYS[under]
        items = {item[key]: item for item in target or []}
        for item in patch:
            items[item[key]] = {**items.get(item[key], {}), **item}
        return list(items.values())
    if not isinstance(patch, dict):
        return patch
    result = dict(target) if isinstance(target, dict) else {}
    for key, value in patch.items():
        if value is None:
            result.pop(key, None)
        else:
            result[key] = strategically_merged(result.get(key), value, key)
    return result
