"""What the parts of an InferenceEndpointConfig are made of."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec

_INT32 = 2**31 - 1

Int32 = Annotated[int, msgspec.Meta(ge=-_INT32 - 1, le=_INT32)]
Count = Annotated[int, msgspec.Meta(ge=0, le=_INT32)]
OneOrMore = Annotated[int, msgspec.Meta(ge=1, le=_INT32)]
Object = dict[str, Any]


class Part(msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """Unknown fields are found, and taken out, before one is made (`reading.read`)."""
