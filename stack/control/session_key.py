"""Where a client says whose conversation a request belongs to: `header:NAME`, `cookie:NAME` or `body:FIELD`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

_TOKEN = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]{1,128}")  # RFC 9110, 5.6.2: what a header's or a cookie's name may be
_FIELD = re.compile(r"[A-Za-z0-9_-]{1,128}")


class Place(StrEnum):
    """The parts of a request that can hold a session key; `body` is a field at the top of its JSON."""

    HEADER = "header"
    COOKIE = "cookie"
    BODY = "body"


@dataclass(frozen=True, slots=True)
class SessionKey:
    """One place to look at. A header's name is in lower case, as the router reads them."""

    place: Place
    name: str


def session_key(text: str) -> SessionKey:
    """The key that `text` names, such as `header:x-session-id`. Raises ValueError, which says what is wrong."""
    place, colon, name = text.partition(":")
    if not colon or place not in set(Place):
        raise ValueError(f"{text!r} is no session key: expected header:NAME, cookie:NAME or body:FIELD")
    if not (_FIELD if place == Place.BODY else _TOKEN).fullmatch(name):
        raise ValueError(f"{text!r} is no session key: {name!r} is no name of a {place}")
    return SessionKey(Place(place), name.lower() if place == Place.HEADER else name)
