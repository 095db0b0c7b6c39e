"""The OpenAPI document, made of the routes themselves: https://spec.openapis.org/oas/v3.1.0"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec

from stack.api.contract import JSON, Body, Contract, Parameter
from stack.api.permit import Permitted
from stack.api.schema import ErrorView

Json = dict[str, Any]

_DESCRIPTION = (
    "Reads and changes the desired state of an LLM inference fleet, and tells what its routers decided. Every change is judged as a"
    " whole, audited, and in force for each request as a whole. Refusals have one shape, with a `code` for programs."
)
_TEMPLATE = "#/components/schemas/{name}"
_ERROR = {"description": "A refusal", "content": {JSON: {"schema": {"$ref": _TEMPLATE.format(name="ErrorView")}}}}


def document(routes: Sequence[Permitted], version: str) -> Json:
    """The whole document."""
    kinds = sorted({kind for route in routes for kind in _kinds(route.contract)} | {ErrorView}, key=lambda kind: kind.__name__)
    schemas, components = msgspec.json.schema_components(kinds, ref_template=_TEMPLATE)
    by_kind = dict(zip(kinds, schemas, strict=True))
    paths: dict[str, Json] = {}
    for route in routes:
        paths.setdefault(route.path, {})[route.method.lower()] = _operation(route, by_kind)
    return {
        "openapi": "3.1.0",
        "info": {"title": "kvdeck control", "version": version, "description": _DESCRIPTION, "license": {"name": "Apache-2.0"}},
        "paths": paths,
        "components": {
            "schemas": components,
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer", "description": "Where control has tokens."}},
        },
    }


def _kinds(contract: Contract) -> Iterable[type]:
    bodies = (*contract.answers.values(), contract.takes)
    return (body.kind for body in bodies if body is not None and body.kind is not None)


def _operation(route: Permitted, schemas: Mapping[type, Json]) -> Json:
    contract = route.contract
    words = [word.strip("{}") for word in route.path.split("/") if word]
    operation: Json = {
        "operationId": "_".join([route.method.lower(), *words]).replace(".", "_").replace("-", "_"),
        "summary": contract.summary,
        "parameters": [_parameter(each) for each in contract.parameters],
        "responses": {str(status): _answer(body, schemas) for status, body in contract.answers.items()} | {"default": _ERROR},
    }
    if contract.takes is not None:
        operation["requestBody"] = {"required": True, "content": _content(contract.takes, schemas)}
    if route.needs is not None:
        operation["security"] = [{"token": []}, {}]  # without tokens control trusts this machine
        operation["description"] = f"For the role {route.needs}."
    return operation


def _parameter(parameter: Parameter) -> Json:
    return {
        "name": parameter.name,
        "in": parameter.place,
        "required": parameter.required,
        "description": parameter.help,
        "schema": dict(parameter.schema),
    }


def _answer(body: Body | None, schemas: Mapping[type, Json]) -> Json:
    if body is None:
        return {"description": "Done; nothing to tell"}
    return {"description": body.kind.__name__ if body.kind else "See the media type", "content": _content(body, schemas)}


def _content(body: Body, schemas: Mapping[type, Json]) -> Json:
    return {body.media: {"schema": {} if body.kind is None else schemas[body.kind]}}
