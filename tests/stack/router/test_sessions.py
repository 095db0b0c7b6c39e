"""Session keys are found where clients put them, and kept only as keyed hashes."""

import stat
from collections.abc import Sequence
from pathlib import Path

from stack.control.session_key import SessionKey, session_key
from stack.control.state import SESSION_KEYS
from stack.router.header_fields import HeaderFields
from stack.router.message import Request
from stack.router.openai import CHAT, ParsedBody
from stack.router.sessions import SessionPlaces, Sessions, secret_from

KEYS = tuple(map(session_key, SESSION_KEYS))


def _request(*headers: tuple[bytes, bytes]) -> Request:
    return Request("POST", CHAT, "", HeaderFields(headers), b"", 0.0)


def _key(request: Request, *, keys: Sequence[SessionKey] = KEYS, secret: bytes = b"secret", **fields: object) -> str | None:
    return Sessions(secret).key(request, ParsedBody(CHAT, "m", dict(fields)), SessionPlaces.of(keys))


def test_the_first_key_that_a_request_has_is_its_session() -> None:
    cookie = (b"cookie", b"theme=dark; session_id=b")
    assert _key(_request((b"x-session-id", b"a"), cookie), user="d") == _key(_request((b"x-session-id", b"a")))
    assert _key(_request(cookie), session_id="c", user="d") == _key(_request((b"x-session-id", b"b")))
    assert _key(_request(), prompt_cache_key="c", user="d") == _key(_request(), session_id="c")
    assert _key(_request(), user="d") == _key(_request(), session_id="d")


def test_which_keys_count_and_in_which_order_is_configured() -> None:
    keys = [session_key(text) for text in ("body:user", "cookie:sid", "header:X-Tenant")]
    everywhere = _request((b"x-tenant", b"t"), (b"cookie", b"sid=s"), (b"x-session-id", b"ignored"))
    assert _key(everywhere, keys=keys, user="u") == _key(_request(), user="u")
    assert _key(everywhere, keys=keys) == _key(_request(), user="s")
    assert _key(_request((b"x-tenant", b"t")), keys=keys) == _key(_request(), user="t")
    assert _key(_request((b"x-session-id", b"a")), keys=()) is None


def test_without_a_key_there_is_no_session() -> None:
    assert _key(_request((b"cookie", b"theme=dark")), user="", session_id=7) is None


def test_keys_are_hashed_with_the_secret() -> None:
    one = _key(_request(), secret=b"one", user="alice")
    other = _key(_request(), secret=b"other", user="alice")
    assert one is not None
    assert other is not None
    assert one != other
    assert len(one) == 32
    assert "alice" not in one


def test_a_missing_secret_is_made_once_for_its_owner_alone(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "secret"
    made = secret_from(path)
    assert len(made) == 32
    assert secret_from(path) == made
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [file.name for file in path.parent.iterdir()] == ["secret"]
