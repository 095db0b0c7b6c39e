"""Where a session's key may be, as an operator writes it."""

import pytest

from stack.control.session_key import Place, SessionKey, session_key


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("header:X-Session-Id", SessionKey(Place.HEADER, "x-session-id")),
        ("cookie:Session", SessionKey(Place.COOKIE, "Session")),
        ("body:prompt_cache_key", SessionKey(Place.BODY, "prompt_cache_key")),
    ],
)
def test_a_key_is_a_place_and_a_name(text: str, key: SessionKey) -> None:
    assert session_key(text) == key


@pytest.mark.parametrize("text", ["", "user", "query:user", "header:", "header:a b", "cookie:a;b", "body:a.b"])
def test_anything_else_is_refused_in_words(text: str) -> None:
    with pytest.raises(ValueError, match="is no session key"):
        session_key(text)
