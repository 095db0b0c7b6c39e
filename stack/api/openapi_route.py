"""Where the OpenAPI document is."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import version

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from stack.api.contract import JSON, Body, Contract
from stack.api.openapi import document
from stack.api.permit import Permitted

_CONTRACT = Contract("This document.", {200: Body(None)})


def with_openapi(routes: Sequence[Permitted]) -> list[Permitted]:
    """`routes`, and the document about them and itself."""
    told: list[bytes] = []

    async def openapi(_: Request) -> Response:
        return Response(told[0], media_type=JSON)

    every = [*routes, Permitted("GET", "/openapi.json", openapi, needs=None, contract=_CONTRACT)]
    told.append(msgspec.json.encode(document(every, version("kvdeck"))))
    return every
