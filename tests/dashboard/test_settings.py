"""Where the dashboard finds its sources."""

from pathlib import Path

import pytest

from dashboard.settings import Settings, SettingsError


def test_the_defaults_are_those_of_the_one_machine_stack() -> None:
    assert Settings.of({}) == Settings(
        prometheus_url="http://127.0.0.1:9090",
        control_url="http://127.0.0.1:8010",
        sign_in=False,
        prometheus_config=None,
        alertmanager_url="http://127.0.0.1:9093",
        router_url="http://127.0.0.1:8000",
        control_token=None,
        control_authorities=None,
    )


def test_the_token_comes_from_its_file(tmp_path: Path) -> None:
    (tmp_path / "token").write_text("secret\n")
    assert Settings.of({"KVDECK_CONTROL_TOKEN_FILE": str(tmp_path / "token")}).control_token == "secret"


def test_an_unreadable_token_file_is_an_error_not_a_missing_token(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="KVDECK_CONTROL_TOKEN_FILE"):
        Settings.of({"KVDECK_CONTROL_TOKEN_FILE": str(tmp_path / "none")})
