"""The body that one engine gets which does it all: the client's own bytes wherever nothing else can be read in them.

What was looked at is the decoded body, in which of a duplicate key only the last value is left and an escaped spelling of
a key is that key. An engine may read the bytes otherwise in the first respect only. But whichever value it takes, a key of the
body is a key of the decoded body: so where no key at the top is one that no client may say, or a container in which one
could be (see `stack.router.sanitise`), no reader finds one in any such place, and the bytes go on as they came. All other
bodies are encoded anew.
"""

from __future__ import annotations

from stack.engines.direct import direct_body
from stack.router.openai import ParsedBody, encode
from stack.router.sanitise import NAMES

_STREAMED = b',"stream_options":{"include_usage":true}}'


def direct_bytes(body: ParsedBody) -> bytes:
    """What `direct_body` of the fields of a routed body would say, and any other body as it is, encoded only where it must be."""
    raw = body.raw
    if not raw or body.stripped or not body.fields.keys().isdisjoint(NAMES):
        return encode(direct_body(body.fields) if body.routed else body.fields)
    if not body.stream or not body.routed or body.usage.include:
        return raw
    if "stream_options" in body.fields:
        return encode(direct_body(body.fields))
    return raw.rstrip()[:-1] + _STREAMED  # a key that is nowhere yet; an object with a model in it is not empty
