"""What a route takes and answers, for the OpenAPI document."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

JSON = "application/json"
Schema = Mapping[str, Any]

TEXT: Schema = {"type": "string"}
FLAG: Schema = {"type": "boolean"}
SECONDS: Schema = {"type": "number", "minimum": 0}


def whole(least: int, most: int) -> Schema:
    """A whole number within bounds, both included."""
    return {"type": "integer", "minimum": least, "maximum": most}


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter. `required` are those without which the request is refused."""

    name: str
    schema: Schema
    help: str
    place: Literal["query", "header", "path"] = "query"
    required: bool = False


@dataclass(frozen=True, slots=True)
class Body:
    """A body: the type of what is in it, None where it is another product's or no JSON, and its media type."""

    kind: type | None
    media: str = JSON


@dataclass(frozen=True, slots=True)
class Contract:
    """One method of one path: `answers` by status (None has no body), refusals aside, which all have one shape."""

    summary: str
    answers: Mapping[int, Body | None]
    takes: Body | None = None
    parameters: tuple[Parameter, ...] = field(default=())
