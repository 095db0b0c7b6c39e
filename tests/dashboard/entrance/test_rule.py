from __future__ import annotations

import pytest

from dashboard.entrance.rule import onward, shut, stranger


@pytest.mark.parametrize("listening", ["127.0.0.1", "localhost", "::1"])
def test_this_machine_may_look_without_a_sign_in(listening: str) -> None:
    assert shut(listening, "127.0.0.1", sign_in=False) is None
    assert shut(listening, None, sign_in=False) is None


@pytest.mark.parametrize(
    ("listening", "reached", "named"),
    [(None, None, "0.0.0.0"), ("", "127.0.0.1", "0.0.0.0"), ("10.0.0.7", None, "10.0.0.7"), ("127.0.0.1", "10.0.0.7", "10.0.0.7")],
)
def test_beyond_it_nothing_is_shown_unless_people_sign_in(listening: str | None, reached: str | None, named: str) -> None:
    reason = shut(listening, reached, sign_in=False)
    assert reason is not None
    assert f"listens on {named}" in reason
    assert "kvdeck dashboard --sign-in" in reason
    assert shut(listening, reached, sign_in=True) is None


@pytest.mark.parametrize("host", ["localhost:8501", "127.0.0.1", "[::1]:8501", "Deck.Example.org:443"])
def test_it_is_reached_by_its_own_names(host: str) -> None:
    assert stranger(host, ["deck.example.org"]) is None


@pytest.mark.parametrize("host", ["evil.example:8501", "", "127.0.0.1.evil.example", "[::1"])
def test_by_another_name_it_is_not_there(host: str) -> None:
    assert "--allow-host" in (stranger(host, ["deck.example.org"]) or "")


@pytest.mark.parametrize("path", ["/kvdeck/routing?range=1h&path=dpd", "/kvdeck/", "/kvdeck/a%2Fb"])
def test_a_sign_in_leads_on_to_a_page_of_ours(path: str) -> None:
    assert onward(path, "/kvdeck/") == path


@pytest.mark.parametrize(
    "path", [None, "", "//evil.example", "https://evil.example/kvdeck/", "/\\evil", "/other", "/kvdeck/\r\nX: y"]
)
def test_it_leads_nowhere_else(path: str | None) -> None:
    assert onward(path, "/kvdeck/") == "/kvdeck/"


@pytest.mark.parametrize("path", ["//evil.example/", "/\\evil.example"])
def test_nor_from_the_root(path: str) -> None:
    assert onward(path, "/") == "/"
