"""A custom resource's OpenAPI schema: what is pruned, filled in and refused, as far as tests need it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from tests.stack.kube.stand_in.answers import Cause, Document

_TYPES: dict[str, tuple[type, ...]] = {
    "object": (dict,), "array": (list,), "string": (str,), "boolean": (bool,), "integer": (int,), "number": (int, float),
}  # fmt: skip

_NAMES = {str: "string", bool: "boolean", dict: "object", list: "array", int: "integer", float: "number"}


def pruned(value: Any, schema: Document) -> Any:
    """Without the fields that the schema does not name."""
    if isinstance(value, list):
        return [pruned(item, schema.get("items", {})) for item in value]
    if not isinstance(value, dict):
        return value
    if schema.get("x-kubernetes-preserve-unknown-fields"):
        return value
    if "additionalProperties" in schema:
        return {key: pruned(item, schema["additionalProperties"]) for key, item in value.items()}
    known = schema.get("properties", {})
    return {key: pruned(item, known[key]) for key, item in value.items() if key in known}


def filled(value: Any, schema: Document) -> Any:
    """With the schema's defaults where a field is absent and its object is there."""
    if isinstance(value, list):
        return [filled(item, schema.get("items", {})) for item in value]
    if not isinstance(value, dict):
        return value
    result = dict(value)
    for key, inner in schema.get("properties", {}).items():
        if key not in result and "default" in inner:
            result[key] = inner["default"]
        if key in result:
            result[key] = filled(result[key], inner)
    return result


def faults(value: Any, schema: Document, at: str = "") -> Iterator[Cause]:
    """What breaks the schema, in the API server's words."""
    if schema.get("x-kubernetes-int-or-string"):
        return
    kind = schema.get("type")
    if kind and (not isinstance(value, _TYPES[kind]) or (isinstance(value, bool) and kind in ("integer", "number"))):
        told = _NAMES.get(type(value), "null")
        yield Cause(at, "FieldValueTypeInvalid", f'Invalid value: "{told}": {at} in body must be of type {kind}: "{told}"')
        return
    yield from _limits(value, schema, at)
    if isinstance(value, dict):
        for key in schema.get("required", ()):
            if key not in value:
                yield Cause(_in(at, key), "FieldValueRequired", "Required value")
        for key, inner in schema.get("properties", {}).items():
            if key in value:
                yield from faults(value[key], inner, _in(at, key))
    if isinstance(value, list):
        for number, item in enumerate(value):
            yield from faults(item, schema.get("items", {}), f"{at}[{number}]")


def _limits(value: Any, schema: Document, at: str) -> Iterator[Cause]:
    said = json.dumps(value)
    if "enum" in schema and value not in schema["enum"]:
        choices = ", ".join(json.dumps(choice) for choice in schema["enum"])
        yield Cause(at, "FieldValueNotSupported", f"Unsupported value: {said}: supported values: {choices}")
    if "minimum" in schema and value < schema["minimum"]:
        least = f"{at} in body should be greater than or equal to {schema['minimum']}"
        yield Cause(at, "FieldValueInvalid", f"Invalid value: {said}: {least}")
    if "maximum" in schema and value > schema["maximum"]:
        most = f"{at} in body should be less than or equal to {schema['maximum']}"
        yield Cause(at, "FieldValueInvalid", f"Invalid value: {said}: {most}")
    if "pattern" in schema and not re.search(schema["pattern"], value):
        yield Cause(at, "FieldValueInvalid", f"Invalid value: {said}: {at} in body should match '{schema['pattern']}'")
    if "minLength" in schema and len(value) < schema["minLength"]:
        least = f"{at} in body should be at least {schema['minLength']} chars long"
        yield Cause(at, "FieldValueInvalid", f"Invalid value: {said}: {least}")
    if "maxLength" in schema and len(value) > schema["maxLength"]:
        yield Cause(at, "FieldValueTooLong", f"Too long: may not be longer than {schema['maxLength']}")
    if "minItems" in schema and len(value) < schema["minItems"]:
        least = f"{at} in body should have at least {schema['minItems']} items"
        yield Cause(at, "FieldValueInvalid", f"Invalid value: {len(value)}: {least}")


def _in(at: str, key: str) -> str:
    return f"{at}.{key}" if at else key
