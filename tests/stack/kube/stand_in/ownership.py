"""Who manages which fields of an object: metadata.managedFields, without keys of list items.

https://kubernetes.io/docs/reference/using-api/server-side-apply/#field-management
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tests.stack.kube.stand_in.answers import Document

Path = tuple[str, ...]

_META = ("labels", "annotations")


def owned(before: Document, after: Document, manager: str, operation: str, api_version: str, time: str) -> list[Document]:
    """The managedFields of `after`, which `manager` made of `before`.

    What changed is the manager's alone. An Apply owns all that it named, here all that `after` names in its place.
    """
    old, new = dict(_leaves(before)), dict(_leaves(after))
    changed = {path for path, value in new.items() if path not in old or old[path] != value}
    entries = {_key(entry): set(_paths(entry["fieldsV1"])) for entry in before.get("metadata", {}).get("managedFields", ())}
    mine = (manager, operation)
    if changed:
        entries = {key: paths - changed for key, paths in entries.items()}
        entries[mine] = entries.get(mine, set()) | changed
    told = {(entry["manager"], entry["operation"]): entry for entry in before.get("metadata", {}).get("managedFields", ())}
    return [
        {
            **(
                told[key]
                if key in told and not (key == mine and changed)
                else {"apiVersion": api_version, "fieldsType": "FieldsV1"}
            ),
            **({"time": time} if key == mine and changed else {}),
            "manager": key[0],
            "operation": key[1],
            "fieldsV1": _tree(paths & new.keys()),
        }
        for key, paths in entries.items()
        if paths & new.keys()
    ]


def _key(entry: Document) -> tuple[str, str]:
    return entry["manager"], entry["operation"]


def _leaves(document: Document) -> Iterator[tuple[Path, Any]]:
    metadata = {key: value for key, value in document.get("metadata", {}).items() if key in _META}
    for top, inner in (("metadata", metadata), ("spec", document.get("spec")), ("status", document.get("status"))):
        yield from _below((f"f:{top}",), inner)


def _below(at: Path, value: Any) -> Iterator[tuple[Path, Any]]:
    if isinstance(value, dict) and value:
        for key, inner in value.items():
            yield from _below((*at, f"f:{key}"), inner)
    elif value is not None and value != {}:
        yield at, value


def _tree(paths: set[Path]) -> Document:
    root: Document = {}
    for path in sorted(paths):
        place = root
        for part in path:
            place = place.setdefault(part, {})
    return root


def _paths(tree: Document, at: Path = ()) -> Iterator[Path]:
    for key, inner in tree.items():
        if key == ".":
            continue
        if inner:
            yield from _paths(inner, (*at, key))
        else:
            yield (*at, key)
