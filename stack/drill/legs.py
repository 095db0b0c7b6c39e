"""Both legs of prefill and decode, as a router sends them."""

from __future__ import annotations

from typing import Any

from stack.drill.drill import DrillError
from stack.engines.pd import base as protocols


def prefill_body(fields: protocols.Fields) -> dict[str, Any]:
    """The first leg's."""
    return _speaker().prefill_body(fields)


def decode_body(fields: protocols.Fields, prefilled: bytes) -> dict[str, Any]:
    """The second leg's, after the first one's answer. Raises DrillError."""
    try:
        return _speaker().decode_body(fields, _speaker().handover(prefilled))
    except protocols.HandoverError as error:
        raise DrillError(f"the prefill engine hands nothing over: {error.reason}") from error


def _speaker() -> protocols.Speaker:
    spoken = protocols.create(protocols.DEFAULT).speaker
    assert spoken is not None
    return spoken
