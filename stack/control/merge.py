"""JSON merge patch (RFC 7396)."""

from __future__ import annotations

DEPTH_MAX = 32  # the document is five deep; anything far beyond is no honest patch


def merge(target: object, patch: object) -> object:
    """`target` with `patch` merged in: objects recursively, null removes, everything else replaces. Inputs stay as they are."""
    if not isinstance(patch, dict):
        return patch
    result = dict(target) if isinstance(target, dict) else {}
    for key, value in patch.items():
        if value is None:
            result.pop(key, None)
        else:
            result[key] = merge(result.get(key), value)
    return result


def too_deep(document: object, limit: int = DEPTH_MAX) -> bool:
    """Whether `document` nests deeper than `limit`; never recurses itself."""
    level = [document]
    for _ in range(limit):
        level = [inner for value in level for inner in _children(value)]
        if not level:
            return False
    return True


def _children(value: object) -> list[object]:
    if isinstance(value, dict):
        return list(value.values())
    return list(value) if isinstance(value, list) else []
