"""The body that one engine gets which does it all: the client's own bytes wherever nothing else can be read in them.

What was looked at is the decoded body, in which of a duplicate key only the last value is left and an escaped spelling of
a key is that key. An engine may read the bytes otherwise in the first respect only, and then still finds no name in them
that is not there: so they go on as they came when they hold none of the names that no client may say (see
`stack.router.sanitise`), neither as they are nor spelled with the one escape that can spell a letter or an underscore,
`\\u00XX`. JSON knows no other one, and what is no JSON in UTF-8 was refused. All other bodies are encoded anew.
"""

from __future__ import annotations

from stack.engines.direct import direct_body
from stack.router.openai import ParsedBody, encode
from stack.router.sanitise import SPELLING

_STREAMED = b',"stream_options":{"include_usage":true}}'


def direct_bytes(body: ParsedBody) -> bytes:
    """What `direct_body` of the fields of a routed body would say, and any other body as it is, encoded only where it must be."""
    raw = body.raw
    if not raw or body.stripped or not unmistakable(raw):
        return encode(direct_body(body.fields) if body.routed else body.fields)
    if not body.routed or not body.stream or body.usage.include:
        return raw
    if "stream_options" in body.fields:
        return encode(direct_body(body.fields))
    return raw.rstrip()[:-1] + _STREAMED  # a key that is nowhere yet; an object with a model in it is not empty


def unmistakable(raw: bytes) -> bool:
    """No reader finds in `raw` a name that is kept from engines."""
    return raw.rfind(SPELLING) < 0 and (b"\\" not in raw or raw.rfind(b"\\u00") < 0)
