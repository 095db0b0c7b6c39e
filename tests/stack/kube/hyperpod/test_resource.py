"""Our part of the InferenceEndpointConfig is the operator's: each field's name, type, default and bounds."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints

import msgspec
import pytest

from stack.kube.hyperpod.kept import KEPT
from stack.kube.hyperpod.reading import struct_of
from stack.kube.hyperpod.resource import SINCE_V1, Resource, Spec
from tests.stack.kube.hyperpod.samples import crd, schema

_TYPES = {str: "string", bool: "boolean", int: "integer", dict: "object", list: "array"}
_BOUNDS = {"ge": "minimum", "le": "maximum", "pattern": "pattern", "max_length": "maxLength"}
_INT32 = {"minimum": -(2**31), "maximum": 2**31 - 1}

Field = tuple[str, msgspec.structs.FieldInfo, Any, dict[str, Any]]


def fields(struct: type[msgspec.Struct], shape: dict[str, Any], path: str) -> Iterator[Field]:
    """Every field of ours with its path and annotation, beside the definition's."""
    hints = get_type_hints(struct, include_extras=True)
    for field in msgspec.structs.fields(struct):
        here = f"{path}.{field.encode_name}"
        theirs = shape["properties"].get(field.encode_name)
        assert theirs is not None, here
        yield here, field, hints[field.name], theirs
        if (inner := struct_of(field.type)) is not None and theirs["type"] == "object":
            yield from fields(inner, theirs, here)


def plain(hint: Any) -> tuple[str, dict[str, Any]]:
    """The type without its None, and its bounds, in the definition's words."""
    if type(None) in get_args(hint):
        (hint,) = [part for part in get_args(hint) if part is not type(None)]
    bounds: dict[str, Any] = {}
    if get_origin(hint) is Annotated:
        hint, meta = get_args(hint)
        bounds = {theirs: value for ours, theirs in _BOUNDS.items() if (value := getattr(meta, ours)) is not None}
    if get_origin(hint) is Literal:
        return "string", {"enum": set(get_args(hint))}
    kind = get_origin(hint) or hint
    if "maxLength" in bounds and kind is list:
        bounds = {"maxItems": bounds["maxLength"]}
    told = "object" if issubclass(kind, msgspec.Struct) else _TYPES[kind]
    return told, {name: value for name, value in bounds.items() if value != _INT32.get(name)}


def test_every_field_is_the_definition_s() -> None:
    for path, field, hint, theirs in fields(Spec, schema()["properties"]["spec"], "spec"):
        expected: dict[str, Any] = {
            name: theirs[name] for name in ("minimum", "maximum", "pattern", "maxLength", "maxItems") if name in theirs
        }
        if "enum" in theirs:
            expected["enum"] = set(theirs["enum"])
        assert (path, *plain(hint)) == (path, theirs["type"], expected)
        assert (path, field.default) in [(path, theirs.get("default")), (path, msgspec.NODEFAULT)]


def test_what_must_be_there_must_be() -> None:
    def check(struct: type[msgspec.Struct], shape: dict[str, Any], path: str) -> None:
        ours = {field.encode_name for field in msgspec.structs.fields(struct) if field.required}
        assert (path, ours) == (path, set(shape.get("required", [])))
        for field in msgspec.structs.fields(struct):
            inner, theirs = struct_of(field.type), shape["properties"][field.encode_name]
            if inner is not None and theirs["type"] == "object":
                check(inner, theirs, f"{path}.{field.encode_name}")

    check(Spec, schema()["properties"]["spec"], "spec")


def test_the_spec_has_all_fields_that_there_are() -> None:
    assert {field.encode_name for field in msgspec.structs.fields(Spec)} == set(schema()["properties"]["spec"]["properties"])
    assert {field.encode_name for field in msgspec.structs.fields(Resource)} == set(schema()["properties"])


def test_the_older_version_lacks_what_it_is_said_to_lack() -> None:
    older = next(one for one in crd()["spec"]["versions"] if one["name"] == "v1alpha1")["schema"]["openAPIV3Schema"]
    newer = set(schema()["properties"]["spec"]["properties"])
    assert newer - set(older["properties"]["spec"]["properties"]) == set(SINCE_V1) | {"maxDeployTimeInSeconds"}


@pytest.mark.parametrize("path", KEPT)
def test_what_has_no_counterpart_is_a_field(path: str) -> None:
    struct: type[msgspec.Struct] | None = Spec
    for name in path.split(".")[1:]:
        assert struct is not None
        kinds = {field.encode_name: field.type for field in msgspec.structs.fields(struct)}
        assert name in kinds
        struct = struct_of(kinds[name])
