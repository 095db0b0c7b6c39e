"""An InferenceEndpointConfig as somebody wrote it: what it says, what it leaves to defaults, what nobody would read."""

from __future__ import annotations

import re
import types
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args, get_origin

import msgspec

from stack.kube.hyperpod.resource import KIND, Resource

_AT = re.compile(r"^(?P<message>.*?)(?: - at `\$\.?(?P<path>.*)`)?$", re.DOTALL)


class ResourceError(ValueError):
    """No API server would take it. `field` is the dotted path, "" for the document itself."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(f"{field}: {message}" if field else message)
        self.field, self.message = field, message


@dataclass(frozen=True, slots=True)
class Reading:
    """`given` are the paths of all fields that were said, of objects and of what is in them; `unknown` those nobody reads."""

    resource: Resource
    given: frozenset[str]
    unknown: tuple[str, ...]

    def says(self, path: str) -> bool:
        """The field was written, not defaulted."""
        return path in self.given


def read(document: object) -> Reading:
    """`document` as the server would take it: nulls are as if not said, unknown fields are dropped. Raises ResourceError."""
    if not isinstance(document, Mapping):
        raise ResourceError("", f"no {KIND}: not an object")
    if document.get("kind") != KIND:
        raise ResourceError("kind", f"{document.get('kind')!r} is not {KIND}")
    said = _without_nulls(document)
    unknown: list[str] = []
    known = _known(said, Resource, "", unknown)
    try:
        resource = msgspec.convert(known, Resource)
    except msgspec.ValidationError as error:
        found = _AT.match(str(error))
        path, message = (found["path"] or "", found["message"]) if found else ("", str(error))
        allowed = _choices(path)
        said = f"; allowed: {', '.join(allowed)}" if allowed else _instead_of(known, path)
        raise ResourceError(path, message.replace("`", "'") + said) from error
    return Reading(resource, frozenset(_paths(known, "")), tuple(sorted(unknown)))


def pruned(document: Mapping[str, Any]) -> dict[str, Any]:
    """`document` without the fields that `read` tells as unknown."""
    known: dict[str, Any] = _known(dict(document), Resource, "", [])
    return known


def configs(documents: Sequence[object]) -> list[Mapping[str, Any]]:
    """The InferenceEndpointConfigs among them, also inside of lists."""
    found: list[Mapping[str, Any]] = []
    for document in documents:
        if not isinstance(document, Mapping):
            continue
        if document.get("kind") == KIND:
            found.append(document)
        elif str(document.get("kind", "")).endswith("List") and isinstance(document.get("items"), Sequence):
            # What the API server lists bears no kind of its own.
            whole = document["kind"] == f"{KIND}List"
            found += configs(
                [{"kind": KIND, **item} if whole and isinstance(item, Mapping) else item for item in document["items"]]
            )
    return found


def _choices(path: str) -> tuple[str, ...]:
    """The words that the field at `path` may have; none where it is not a choice."""
    kind: Any = Resource
    for name in filter(None, path.split(".")):
        struct = struct_of(kind)
        fields = {} if struct is None else {field.encode_name: field.type for field in msgspec.structs.fields(struct)}
        if name not in fields:
            return ()
        kind = fields[name]
    return get_args(kind) if get_origin(kind) is Literal else ()


def _instead_of(document: Any, path: str) -> str:
    """The value at `path`, where it is short enough to be told."""
    for name in filter(None, path.split(".")):
        if not isinstance(document, dict) or name not in document:
            return ""
        document = document[name]
    return "" if isinstance(document, (dict, list)) else f", not {str(document)[:60]!r}"


def _without_nulls(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _without_nulls(inner) for key, inner in value.items() if inner is not None}
    if isinstance(value, list):
        return [_without_nulls(inner) for inner in value]
    return value


def _known(value: Any, kind: Any, path: str, unknown: list[str]) -> Any:
    """`value` without fields that its struct does not have; their paths go to `unknown`."""
    struct = struct_of(kind)
    if struct is not None and isinstance(value, dict):
        fields = {field.encode_name: field.type for field in msgspec.structs.fields(struct)}
        unknown += [_join(path, str(name)) for name in value if name not in fields]
        return {name: _known(inner, fields[name], _join(path, name), unknown) for name, inner in value.items() if name in fields}
    if isinstance(value, list) and (inner_kind := _item_of(kind)) is not None:
        return [_known(inner, inner_kind, f"{path}[{place}]", unknown) for place, inner in enumerate(value)]
    return value


def struct_of(kind: Any) -> type[msgspec.Struct] | None:
    """The struct that a field of `kind` holds, None where it holds none."""
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        return kind
    if isinstance(kind, types.GenericAlias) or getattr(kind, "__origin__", None) in (list, dict):
        return None
    return next((found for part in get_args(kind) if (found := struct_of(part)) is not None), None)


def _item_of(kind: Any) -> Any:
    if getattr(kind, "__origin__", None) is list:
        return get_args(kind)[0]
    return next((found for part in get_args(kind) if (found := _item_of(part)) is not None), None)


def _paths(value: Any, path: str) -> Iterator[str]:
    if path:
        yield path
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from _paths(inner, _join(path, str(name)))


def _join(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name
