"""How LMCache (0.3.9 to 0.5.6) names what it puts into a Redis or Valkey store: whose KV a key holds.

A server (MP) writes `[PREFIX@]MODEL@RANK@GROUP@HASH[@SALT]`, RANK as eight hexadecimal digits; an engine's own LMCache writes
`MODEL@WORLD@WORKER@HASH@DTYPE[@LAYER][@TAG...]`, its Redis connector with `metadata` or `kv_bytes` behind: two keys a chunk.
"""

from __future__ import annotations

import re

_SERVER = re.compile(r"(?:.*@)?(?P<model>[^@]+)@[0-9a-f]{8}@[0-9a-f]+@[0-9a-f]{8,}(?:@[^@]*)?")
_ENGINE = re.compile(r"(?P<model>[^@]+)@\d+@\d+@-?[0-9a-f]+@[a-z][a-z0-9_]*(?:@.*)?")


def model_of(key: bytes) -> str | None:
    """The model as LMCache calls it, which is the path its engines loaded; None for a key that is not LMCache's."""
    text = key.decode("utf-8", "replace")
    found = _SERVER.fullmatch(text) or _ENGINE.fullmatch(text)
    return None if found is None else found["model"]
