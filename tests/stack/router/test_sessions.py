"""Session keys are found where clients put them, and kept only as keyed hashes."""

import stat
from pathlib import Path

from stack.router.message import Request
from stack.router.sessions import Sessions, secret_from


def _request(*headers: tuple[bytes, bytes]) -> Request:
    return Request("POST", "/v1/chat/completions", "", headers, b"", 0.0)


def test_the_header_comes_before_the_cookie_and_the_body() -> None:
    sessions = Sessions(b"secret")
    everywhere = _request((b"x-session-id", b"a"), (b"cookie", b"theme=dark; session_id=b"))
    assert sessions.key(everywhere, ("c", "d")) == sessions.key(_request((b"x-session-id", b"a")), ())
    assert sessions.key(_request((b"cookie", b"theme=dark; session_id=b")), ("c",)) == sessions.key(_request(), ("b",))
    assert sessions.key(_request(), (None, "d")) == sessions.key(_request(), ("d",))


def test_without_a_key_there_is_no_session() -> None:
    assert Sessions(b"secret").key(_request((b"cookie", b"theme=dark")), (None, "")) is None


def test_keys_are_hashed_with_the_secret() -> None:
    one = Sessions(b"one").key(_request(), ("alice",))
    other = Sessions(b"other").key(_request(), ("alice",))
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
